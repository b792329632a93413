package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
	"github.com/loadbay/loadbay/shared/testing/pglaunch"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// The data of an installation on an older PostgreSQL is refused by a newer one, moved by `make
// upgrade-data`, and works there: the new server has the same rows and imports, undoes an import of
// the old one and imports further files.
func TestDataMovesToNewerPostgres(t *testing.T) {
	t.Parallel()
	oldBin, major := postgrestest.OlderServer(t)
	newBin, _, err := pglaunch.Find(t.Context(), pglaunch.Config{Dir: t.TempDir()})
	require.NoError(t, err)
	ctx, r := runGroup(t, "POSTGRES_BIN="+oldBin)
	create := rawclient.CreateRequest{ImportType: "USER", Filename: "users.csv", Mode: "upsert", AutoStart: true}
	const header = "Email,Name\n"
	r.uploadAndWait(ctx, t, create, header+"moved-a@example.org,Ann\nmoved-b@example.org,Ben\n")
	second := r.uploadAndWait(ctx, t, create, header+"moved-a@example.org,Anna\nno address,Carl\n")
	users := func() string { return r.get(t, "/v1/exports?resource=users&format=ndjson&fields=email,name") }
	rows := users()
	require.Contains(t, rows, "Anna")
	require.Equal(t, major, stacktest.Query[int](t, r.Stack, `SELECT current_setting('server_version_num')::int / 10000`))
	r.Stop()

	program := filepath.Join(stacktest.Root(t), "bin", "loadbay-local")
	run := func(command string) (string, error) {
		c := exec.Command(program, command)
		c.Env = append(os.Environ(), "DATA_DIR="+r.Dir, "DATABASE_URL=", "API_ADDR=127.0.0.1:0", "AWS_ADDR=127.0.0.1:0", "POSTGRES_BIN="+newBin)
		out, err := c.CombinedOutput()
		return string(out), err
	}
	out, err := run("run")
	require.Error(t, err)
	require.Contains(t, out, "make upgrade-data")
	out, err = run("upgrade-data")
	require.NoError(t, err, out)
	require.DirExists(t, filepath.Join(r.Dir, "postgres", "data-"+strconv.Itoa(major)), out)

	r.Setenv("POSTGRES_BIN=" + newBin)
	r.Restart(t)
	require.Less(t, major, stacktest.Query[int](t, r.Stack, `SELECT current_setting('server_version_num')::int / 10000`))
	require.Equal(t, rows, users())
	var undo rawclient.Job
	require.NoError(t, r.Do(ctx, http.MethodPost, "/api/imports/"+second.Identifier+"/undo", "application/json", strings.NewReader(`{"mode":"safe"}`), &undo))
	ended, err := r.Wait(ctx, undo.Identifier, 20*time.Millisecond, nil, (*rawclient.Job).Ended)
	require.NoError(t, err)
	require.Equal(t, "COMPLETED", ended.Status)
	require.Contains(t, users(), `"Ann"`)
	third := r.uploadAndWait(ctx, t, create, header+"moved-c@example.org,Cem\n")
	require.Equal(t, int64(1), third.SuccessCount)
}
