package blueprint_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// A setting that no function reads would have no effect.
func TestEachSettingIsReadByAFunction(t *testing.T) {
	t.Parallel()
	var code strings.Builder
	for _, folder := range []string{"../../shared", "../../functions"} {
		require.NoError(t, filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			code.Write(text)
			return err
		}))
	}
	names := blueprint.New().Settings()
	require.Contains(t, names, "QUOTA_STREAMS")
	for _, name := range names {
		require.Contains(t, code.String(), `env:"`+name+`"`)
	}
}
