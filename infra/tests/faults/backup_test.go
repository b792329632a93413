package faults

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/intercept"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// A stack is killed during an import and backed up. The import completes on the restored state,
// and writes each row exactly once; a second import, which waits for a person, keeps waiting.
func TestBackupOfKilledImport(t *testing.T) {
	const rows = 5 * chunkRows
	r := start(t)
	waiting := r.importUnknownValue(t)
	r.awaitStatus(t, waiting, "CELL_MAPPING")
	for name, point := range map[string]struct {
		statement string
		nth       int64
	}{
		"before the chunks are recorded":  {addChunksSQL, 1},
		"before the split is complete":    {splitCompleteSQL, 1},
		"before the first chunk's commit": {advanceSQL, 1},
		"in the middle of the rows":       {advanceSQL, 3},
		"before the commit of the last":   {advanceSQL, 5},
	} {
		t.Run(name, func(t *testing.T) {
			reached, killed := r.holdAt(t, point.statement, point.nth)
			file := r.usersFile(rows)
			id := r.startImport(t, file)
			reached.wait(t, "statement "+point.statement)
			r.Kill()
			close(killed)

			backup, restored := filepath.Join(t.TempDir(), "backup"), filepath.Join(t.TempDir(), "restored")
			runLocal(t, r.Dir, "backup", backup)
			require.NoError(t, os.Rename(r.Dir, r.Dir+".lost"))
			runLocal(t, restored, "restore", backup)
			require.NoError(t, os.Rename(restored, r.Dir))
			r.Restart(t)
			r.requireAllCreated(t, id, rows)
			require.Equal(t, file, r.download(t, "/api/imports/"+id+"/source"))
			require.NoError(t, os.RemoveAll(r.Dir+".lost"))
		})
	}
	r.answerValues(t, waiting)
	r.requireOutcome(t, waiting, rawclient.Summary{Created: 3})
}

// download returns the file to which a path of the API redirects.
func (r *harness) download(t *testing.T, path string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+r.API+path, nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, "%s", content)
	return string(content)
}

// holdAt holds the nth statement with a text until the returned channel is closed.
func (r *harness) holdAt(t *testing.T, text string, nth int64) (reached *event, released chan struct{}) {
	var seen atomic.Int64
	reached, released = r.newEvent(), make(chan struct{})
	r.OnSQL(t, func(s *intercept.Statement) func() {
		if strings.Contains(s.SQL, text) && seen.Add(1) == nth {
			reached.set()
			<-released
		}
		return nil
	})
	return reached, released
}

// A backup of a running stack, an incomplete or damaged one, and a restore over data are refused.
func TestUnsafeBackupsAreRefused(t *testing.T) {
	r := &harness{Stack: stacktest.Start(t)}
	backup := filepath.Join(t.TempDir(), "backup")
	require.Contains(t, failLocal(t, r.Dir, "backup", backup), "another stack is running")
	require.NoDirExists(t, backup)
	r.Kill()

	killed := filepath.Join(t.TempDir(), "killed")
	command := localCommand(t, r.Dir, "backup", killed)
	require.NoError(t, command.Start())
	archive := filepath.Join(killed, "state.tar.gz")
	stacktest.Await(t, "the backup has begun", func() bool {
		info, err := os.Stat(archive)
		return err == nil && info.Size() > 0
	})
	require.NoError(t, command.Process.Kill())
	require.Error(t, command.Wait(), "the backup was killed before its end")
	require.Contains(t, failLocal(t, filepath.Join(t.TempDir(), "new"), "restore", killed), "no complete backup")

	runLocal(t, r.Dir, "backup", backup)
	require.Contains(t, failLocal(t, r.Dir, "backup", backup), "is not empty")
	require.Contains(t, failLocal(t, r.Dir, "restore", backup), "is not empty")
	archive = filepath.Join(backup, "state.tar.gz")
	content, err := os.ReadFile(archive)
	require.NoError(t, err)
	content[len(content)/2] ^= 1
	require.NoError(t, os.WriteFile(archive, content, 0o600))
	fresh := filepath.Join(t.TempDir(), "fresh")
	require.Contains(t, failLocal(t, fresh, "restore", backup), "is damaged")
	require.NoDirExists(t, fresh)
	r.Restart(t)
}

func localCommand(t *testing.T, dataDir string, args ...string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), filepath.Join(stacktest.Root(t), "bin", "loadbay-local"), args...)
	command.Env = append(os.Environ(), "DATA_DIR="+dataDir, "DATABASE_URL=")
	return command
}

func runLocal(t *testing.T, dataDir string, args ...string) {
	t.Helper()
	output, err := localCommand(t, dataDir, args...).CombinedOutput()
	require.NoError(t, err, "%s", output)
}

// failLocal returns the error of a command that must fail.
func failLocal(t *testing.T, dataDir string, args ...string) string {
	t.Helper()
	var output bytes.Buffer
	command := localCommand(t, dataDir, args...)
	command.Stderr = &output
	require.Error(t, command.Run())
	return output.String()
}
