package cli

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// writeLargeFile returns a file that is uploaded in parts: few rows, each of them long.
func writeLargeFile(name string) []byte {
	var b bytes.Buffer
	b.WriteString("Name,Email,Remarks\n")
	for row := 0; b.Len() <= 101<<20; row++ {
		fmt.Fprintf(&b, "%s %04d,%04d@example.org,%s\n", name, row, row, strings.Repeat("x", 30_000))
	}
	return b.Bytes()
}

// TestResumeFromAnotherProcess resumes an upload from another process. The part that had
// arrived belongs to another file, which proves that it is not sent again.
func TestResumeFromAnotherProcess(t *testing.T) {
	t.Parallel()
	stack := stacktest.Start(t)
	s := newShell(t, stack)
	s.mustRun(t, "context", "add", "local", "http://"+stack.API)
	arrived, file := writeLargeFile("Eve"), writeLargeFile("Ada")
	require.Len(t, arrived, len(file))
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "large.csv"), file, 0o600))

	var job struct {
		Identifier string
		Upload     struct {
			PartSizeBytes int
			Parts         []struct{ URL string }
		}
	}
	require.NoError(t, stack.Post(t.Context(), "/api/imports", map[string]any{"importType": "USER", "filename": "large.csv", "sizeBytes": len(file), "autoStart": true}, &job))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, job.Upload.Parts[0].URL, bytes.NewReader(arrived[:job.Upload.PartSizeBytes]))
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusOK, answer.StatusCode)

	s.writeFile(t, "other.csv", "Name\nAda\n")
	e := s.run(t, "", "imports", "resume", job.Identifier, "other.csv")
	require.Equal(t, 1, e.code)
	require.Contains(t, e.err, "this file has 9")

	s.mustRun(t, "imports", "resume", job.Identifier, "large.csv")
	rows := s.mustRun(t, "results", job.Identifier, "--limit", "10000", "--jq", "length")
	require.Equal(t, fmt.Sprintln(bytes.Count(file, []byte("\n"))-1), rows)
	users := s.mustRun(t, "export", "users", "--format", "csv", "-o", "-")
	require.Contains(t, users, "Eve 0000")
	require.Contains(t, users, "Ada 3000")
	require.NotContains(t, users, "Ada 0000")

	e = s.run(t, "", "imports", "resume", job.Identifier, "large.csv")
	require.Equal(t, 1, e.code)
	require.Contains(t, e.err, "can no longer be")
}
