package bench

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Two concurrent chunks, logged in the order of their completion, among lines about other jobs
// and other messages.
func TestStagesAddUpToImportTime(t *testing.T) {
	t.Parallel()
	b := &bench{dir: t.TempDir()}
	for function, log := range map[string]string{
		"analyze": `{"time":"2026-01-01T00:00:02Z","msg":"file analysed","job_id":"a"}`,
		"split":   `{"time":"2026-01-01T00:00:05Z","msg":"file split into chunks","job_id":"a","duration_ms":1000,"chunks":2}`,
		"process": `{"time":"2026-01-01T00:00:09Z","msg":"chunk written","job_id":"a","duration_ms":2500,"decode_us":1000000,"write_us":1000000,"commit_us":500000}
{"time":"2026-01-01T00:00:09Z","msg":"chunk written","job_id":"b","duration_ms":9000}
{"time":"2026-01-01T00:00:09Z","msg":"a row says: chunk written","job_id":"a"}
{"time":"2026-01-01T00:00:10Z","msg":"chunk written","job_id":"a","duration_ms":4000,"decode_us":1000000,"write_us":2000000,"commit_us":0}`,
	} {
		path := filepath.Join(b.dir, "logs", function+".log")
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(log+"\n"), 0o600))
	}
	at := func(second int) time.Time { return time.Date(2026, 1, 1, 0, 0, second, 0, time.UTC) }
	got, err := b.readStages(t.Context(), "a", at(0), at(13))
	require.NoError(t, err)
	require.Equal(t, stages{
		analyze: 2 * time.Second, prepare: 2 * time.Second, split: time.Second, wait: time.Second, process: 4 * time.Second, finish: 3 * time.Second,
		decode: 2 * time.Second, write: 3 * time.Second, commit: 500 * time.Millisecond,
	}, got)
	require.Equal(t, 13*time.Second, got.total())
}

func TestFileSizeLimitIsRaised(t *testing.T) {
	t.Parallel()
	for _, given := range []map[string]string{nil, {"MAX_FILE_BYTES": "7", "MAIL_FROM": "a@example.org"}} {
		setting := raiseFileLimit(func(name string) (string, bool) { value, set := given[name]; return value, set })
		limit, set := setting("MAX_FILE_BYTES")
		require.True(t, set)
		require.Equal(t, cmp.Or(given["MAX_FILE_BYTES"], "4294967296"), limit, "a configured limit is kept")
		from, set := setting("MAIL_FROM")
		require.Equal(t, given["MAIL_FROM"], from)
		require.Equal(t, given != nil, set)
	}
}

func TestSizesParse(t *testing.T) {
	t.Parallel()
	var s Sizes
	require.NoError(t, s.UnmarshalText([]byte("10000, 2")))
	require.Equal(t, Sizes{10_000, 2}, s)
	for _, text := range []string{"1", "1e6", "10000;20000", "10,"} {
		require.Error(t, s.UnmarshalText([]byte(text)), text)
	}
}
