package stack

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFunctionLogsAreStoredVerbatim(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var shown bytes.Buffer
	l := newLogWriter(dir, &shown)
	for _, line := range []string{`{"level":"INFO","msg":"a"}`, `{"level":"WARN","msg":"b"}`, `{"level":"ERROR"}`, "panic: c", "", `{"_aws":{}}`} {
		l.writeEntry("split", []byte(line))
	}
	require.NoError(t, l.close())
	kept, err := os.ReadFile(filepath.Join(dir, "split.log"))
	require.NoError(t, err)
	require.Equal(t, "{\"level\":\"INFO\",\"msg\":\"a\"}\n{\"level\":\"WARN\",\"msg\":\"b\"}\n{\"level\":\"ERROR\"}\npanic: c\n\n{\"_aws\":{}}\n", string(kept))
	require.Equal(t, "split: {\"level\":\"WARN\",\"msg\":\"b\"}\nsplit: {\"level\":\"ERROR\"}\nsplit: panic: c\n", shown.String())

	lost := newLogWriter(filepath.Join(dir, "nowhere"), &shown)
	shown.Reset()
	lost.writeEntry("split", []byte(`{"level":"INFO"}`))
	require.Contains(t, shown.String(), `{"level":"INFO"}`)
	require.Contains(t, shown.String(), "not saved")
}
