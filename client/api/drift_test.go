package api_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGeneratedClientIsCurrent makes the client again.
func TestGeneratedClientIsCurrent(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the generator")
	}
	config, err := os.ReadFile("config.yaml")
	require.NoError(t, err)
	dir := t.TempDir()
	made := filepath.Join(dir, "api.gen.go")
	elsewhere := strings.Replace(string(config), "output: api.gen.go", "output: "+made, 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(elsewhere), 0o600))
	out, err := exec.CommandContext(t.Context(), "go", "tool", "-modfile=../../.ci/tools/go.mod", "oapi-codegen",
		"-config", filepath.Join(dir, "config.yaml"), "../../shared/httpapi/openapi.yaml").CombinedOutput()
	require.NoError(t, err, string(out))
	want, err := os.ReadFile(made)
	require.NoError(t, err)
	got, err := os.ReadFile("api.gen.go")
	require.NoError(t, err)
	require.True(t, string(want) == string(got), "openapi.yaml has changed: run go generate ./client/api")
}
