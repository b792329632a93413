package stack

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFunctionLogsAreStoredVerbatim(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var shown bytes.Buffer
	l := newLogWriter(dir, &shown)
	for _, line := range []string{`{"level":"INFO","msg":"a"}`, `{"level":"WARN","msg":"b"}`, "panic: c", "", "goroutine 1", `{"_aws":{}}`} {
		l.writeEntry("split", []byte(line))
	}
	require.NoError(t, l.close())
	kept, err := os.ReadFile(filepath.Join(dir, "split.log"))
	require.NoError(t, err)
	require.Equal(t, "{\"level\":\"INFO\",\"msg\":\"a\"}\n{\"level\":\"WARN\",\"msg\":\"b\"}\npanic: c\n\ngoroutine 1\n{\"_aws\":{}}\n", string(kept))

	lost := newLogWriter(filepath.Join(dir, "nowhere"), &shown)
	shown.Reset()
	lost.writeEntry("split", []byte(`{"level":"INFO"}`))
	require.Contains(t, shown.String(), `{"level":"INFO"}`)
	require.Contains(t, shown.String(), "not saved")
}

// One short line for each warning, error and crash; the file has the rest.
func TestTerminalShowsShortLines(t *testing.T) {
	t.Parallel()
	var shown bytes.Buffer
	l := newLogWriter(filepath.Join(t.TempDir(), "logs"), &shown)
	require.NoError(t, os.Mkdir(l.dir, 0o755))
	at := `"time":"2026-11-24T12:00:05Z",`
	for _, line := range []string{
		`{` + at + `"level":"INFO","msg":"a"}`,
		`{` + at + `"level":"WARN","msg":"the import ended early","job_id":"0193b2a4"}`,
		`{` + at + `"level":"WARN","msg":"a message\nis late","queue":"rows"}`,
		`{` + at + `"level":"ERROR","msg":"a chunk failed","error":"connection lost","job_id":"0193b2a4","stack":"long"}`,
		`2026/11/24 15:44:18 {"errorMessage":"a chunk failed"}`,
		`{` + at + `"level":"ERROR","msg":"` + strings.Repeat("ä", 200) + `"}`,
		"panic: c", "", "goroutine 1", "main.go:2", `{"_aws":{}}`, "panic: d",
	} {
		l.writeEntry("split", []byte(line))
	}
	l.logger().Warn("PostgreSQL ended", "code", 1)
	l.logger().Info("not shown")
	l.showEvent("import 0193b2a4 completed")
	require.NoError(t, l.close())
	var lines []string
	for line := range strings.Lines(shown.String()) {
		require.Regexp(t, `^\d\d:\d\d:\d\d  `, line)
		lines = append(lines, strings.TrimSuffix(line[len("00:00:00  "):], "\n"))
	}
	require.Equal(t, []string{
		"WARN   split: a message is late (logs/split.log)",
		"ERROR  split: import 0193b2a4: a chunk failed: connection lost (logs/split.log)",
		"ERROR  split: " + strings.Repeat("ä", 160) + "… (logs/split.log)",
		"ERROR  split: panic: c (logs/split.log)",
		"ERROR  split: panic: d (logs/split.log)",
		"WARN   stack: PostgreSQL ended (logs/stack.log)",
		"INFO   import 0193b2a4 completed",
	}, lines)
	own, err := os.ReadFile(filepath.Join(l.dir, "stack.log"))
	require.NoError(t, err)
	require.Contains(t, string(own), `"code":1`)
	require.Contains(t, shown.String(), time.Date(2026, 11, 24, 12, 0, 5, 0, time.UTC).Local().Format(time.TimeOnly), "the time of the entry")
}
