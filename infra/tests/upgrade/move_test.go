package upgrade

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
	"github.com/loadbay/loadbay/shared/postgres/schema"
)

var (
	earlier  = flag.String("earlier", "", "a checkout of a release before migration 0077, with its binaries, for TestMoveDuringImport")
	moveRows = flag.Int("rows", 100_000, "rows of each of the two files of TestMoveDuringImport")
)

// Binaries of an earlier release import a file while the tables move, and another one afterwards,
// during which those of the current one replace them. No row is lost or doubled. shared/postgres/schema has the same with
// sessions instead of binaries, for every run of the tests.
func TestMoveDuringImport(t *testing.T) {
	if *earlier == "" {
		t.Skip("skipped: -earlier names no checkout")
	}
	s := stacktest.StartBuild(t, *earlier)
	first := importUsers(t, s, "first")
	superuser, err := pgx.Connect(t.Context(), s.DatabaseURL(t))
	require.NoError(t, err)
	t.Cleanup(func() { _ = superuser.Close(t.Context()) })
	_, err = superuser.Exec(t.Context(), `SET search_path = loadbay, sample, public`)
	require.NoError(t, err)
	done := func() (rows int64) {
		require.NoError(t, superuser.QueryRow(t.Context(), `SELECT coalesce(sum(row_count), 0) FROM import_chunks WHERE done`).Scan(&rows))
		return rows
	}
	s.Await(t, "the import has begun", func() bool { return done() > 0 })

	var passwords struct{ App, Maintenance, Operator, Owner string }
	text, err := os.ReadFile(filepath.Join(s.Dir, "roles.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &passwords))
	address, err := url.Parse(s.DatabaseURL(t))
	require.NoError(t, err)
	address.User = url.UserPassword(ownerRole, passwords.Owner)
	owner, err := pgx.ParseConfig(address.String())
	require.NoError(t, err)
	before := done()
	applied, err := schema.Migrate(t.Context(), owner, schema.Roles(schema.Passwords{App: passwords.App, Maintenance: passwords.Maintenance, Operator: passwords.Operator}))
	require.NoError(t, err)
	require.Contains(t, applied, "0077_schemas.sql")
	moved := done()
	t.Logf("%d rows before the move, %d when it had ended", before, moved)
	second := importUsers(t, s, "second")
	s.Await(t, "the earlier binaries write on", func() bool { return done() > max(moved, int64(*moveRows)) })
	t.Logf("%d rows when the binaries are replaced", done())

	require.NoError(t, superuser.Close(t.Context()))
	s.Deploy(t, stacktest.Root(t))
	for _, id := range []string{first, second} {
		awaitStatus(t, s.Client, id, "COMPLETED")
		summary, err := s.Summary(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, rawclient.Summary{Created: int64(*moveRows)}, summary)
	}
	require.Equal(t, int64(2**moveRows), stacktest.Query[int64](t, s, `SELECT count(*) FROM users`))
}

// importUsers starts an import of users with addresses of their own.
func importUsers(t *testing.T, s *stacktest.Stack, name string) (id string) {
	t.Helper()
	var file strings.Builder
	file.WriteString("email,name\n")
	for n := range *moveRows {
		fmt.Fprintf(&file, "%s%d@example.org,User %d\n", name, n, n)
	}
	return startImport(t, s.Client, rawclient.CreateRequest{ImportType: "USER", Filename: name + ".csv", AutoStart: true}, file.String())
}
