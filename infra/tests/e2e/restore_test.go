package e2e

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// TestRestoredInstallation is the logical restore of docs/recovery.md: a dump of the database and a
// copy of the objects, taken while nothing is imported, become another installation. It has the same
// imports, rows and files, undoes an import of the old one and imports further files; nothing is in its
// queues and its table.
func TestRestoredInstallation(t *testing.T) {
	t.Parallel()
	ctx, old := runGroup(t)
	create := rawclient.CreateRequest{ImportType: "USER", Filename: "users.csv", Mode: "upsert", AutoStart: true}
	const header = "Email,Name\n"
	first := old.uploadAndWait(ctx, t, create, header+"restored-a@example.org,Ann\nrestored-b@example.org,Ben\n")
	second := old.uploadAndWait(ctx, t, create, header+"restored-a@example.org,Anna\nno address,Carl\n")
	require.Equal(t, int64(2), first.SuccessCount)
	require.Equal(t, int64(1), second.ErrorCount)
	users := func(r *testStack) string {
		return r.get(t, "/v1/exports?resource=users&format=ndjson&fields=email,name")
	}
	rows := users(old)
	require.Contains(t, rows, "restored-b@example.org")

	folder := t.TempDir()
	dump := filepath.Join(folder, "dump")
	tools := postgrestest.ClientDir(t, old.DatabaseURL(t))
	runTool(t, filepath.Join(tools, "pg_dump"), "--format=directory", "--jobs=2", "--schema=loadbay", "--schema=sample", "--file="+dump, old.DatabaseURL(t))
	old.Stop()
	runTool(t, "cp", "-a", filepath.Join(old.Dir, "s3"), folder) // with the extended attributes, which hold the objects' metadata

	restored := start(t)
	to := restored.DatabaseURL(t)
	runTool(t, filepath.Join(tools, "psql"), "--no-psqlrc", "--set=ON_ERROR_STOP=1", "--command=DROP SCHEMA loadbay, sample CASCADE", to)
	runTool(t, filepath.Join(tools, "pg_restore"), "--exit-on-error", "--jobs=2", "--dbname="+to, dump)
	restored.Stop()
	objects := filepath.Join(restored.Dir, "s3")
	require.NoError(t, os.RemoveAll(objects))
	runTool(t, "cp", "-a", filepath.Join(folder, "s3"), restored.Dir)
	restored.Restart(t)

	require.Equal(t, rows, users(restored))
	require.True(t, strings.HasPrefix(restored.get(t, "/api/imports/"+second.Identifier+"/errors.xlsx"), "PK"), "a workbook made from the objects")

	var undo rawclient.Job
	require.NoError(t, restored.Do(ctx, http.MethodPost, "/api/imports/"+second.Identifier+"/undo", "application/json", strings.NewReader(`{"mode":"safe"}`), &undo))
	ended, err := restored.Wait(ctx, undo.Identifier, 20*time.Millisecond, nil, (*rawclient.Job).Ended)
	require.NoError(t, err)
	require.Equal(t, "COMPLETED", ended.Status)
	require.Contains(t, users(restored), `"Ann"`)
	third := restored.uploadAndWait(ctx, t, create, header+"restored-c@example.org,Cem\n")
	require.Equal(t, int64(1), third.SuccessCount)
	require.Equal(t, int64(3), stacktest.Query[int64](t, restored.Stack, `SELECT count(*) FROM users WHERE email LIKE 'restored-_@example.org'`))
}

func runTool(t *testing.T, program string, args ...string) {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
	require.NoError(t, err, "%s: %s", filepath.Base(program), output)
}

// get returns the body of a successful response, which may be redirected.
func (r *testStack) get(t *testing.T, path string) string {
	t.Helper()
	answer, err := http.Get("http://" + r.API + path)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode, "%s: %s", path, text)
	return string(text)
}
