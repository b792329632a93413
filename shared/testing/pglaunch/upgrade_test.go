package pglaunch_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/testing/pglaunch"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// Everything moves: rows, roles with their passwords and memberships, row level security, sequences.
// The old data stays as it is.
func TestUpgradeMovesEverything(t *testing.T) {
	t.Parallel()
	bin, major := postgrestest.OlderServer(t)
	newBin, server, err := pglaunch.Find(t.Context(), pglaunch.Config{Dir: t.TempDir()})
	require.NoError(t, err)
	dir := t.TempDir()
	old, err := pglaunch.Start(t.Context(), pglaunch.Config{Dir: dir, BinDir: bin})
	require.NoError(t, err)
	_, err = old.EnsureMasterRole(t.Context(), "the_owner", "its password", "moved")
	require.NoError(t, err)
	mustExec(t, old.AdminURL(""), `CREATE ROLE member LOGIN PASSWORD 'p@ss/word'; CREATE ROLE readers; GRANT readers TO member`)
	mustExec(t, old.AdminURL("moved"), `
		CREATE SCHEMA own AUTHORIZATION the_owner;
		SET ROLE the_owner;
		CREATE TABLE own.rows (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, tenant int, text text COLLATE "C");
		INSERT INTO own.rows (tenant, text) SELECT n % 2, 'ä ' || n || E'\nCREATE ROLE postgres;\n' FROM generate_series(1, 1000) AS n;
		ALTER TABLE own.rows ENABLE ROW LEVEL SECURITY;
		CREATE POLICY tenants ON own.rows USING (tenant = 1);
		GRANT USAGE ON SCHEMA own TO readers;
		GRANT SELECT ON own.rows TO readers`)
	const digest = `SELECT md5(string_agg(id || text, ',' ORDER BY id)) FROM own.rows`
	before := mustQuery[string](t, old.AdminURL("moved"), digest)

	_, _, err = pglaunch.Upgrade(t.Context(), pglaunch.Config{Dir: dir})
	require.ErrorIs(t, err, pglaunch.ErrInUse, "the server is still running")
	require.NoError(t, old.Stop(t.Context()))
	_, err = pglaunch.Start(t.Context(), pglaunch.Config{Dir: dir, BinDir: newBin})
	var version *pglaunch.VersionError
	require.ErrorAs(t, err, &version)

	from, to, err := pglaunch.Upgrade(t.Context(), pglaunch.Config{Dir: dir})
	require.NoError(t, err)
	require.Equal(t, []int{major, server}, []int{from, to})

	moved := startServer(t, dir)
	require.Equal(t, before, mustQuery[string](t, moved.AdminURL("moved"), digest))
	require.Equal(t, 500, mustQuery[int](t, moved.URL("member", "p@ss/word", "moved"), `SELECT count(*)::int FROM own.rows`), "row level security applies")
	require.Equal(t, 1001, mustQuery[int](t, moved.AdminURL("moved"), `INSERT INTO own.rows (tenant) VALUES (1) RETURNING id`), "sequences go on")
	require.True(t, mustQuery[bool](t, moved.AdminURL("moved"), `SELECT reltuples >= 1000 FROM pg_class WHERE relname = 'rows'`), "statistics exist")
	require.NoError(t, moved.Stop(t.Context()))

	from, to, err = pglaunch.Upgrade(t.Context(), pglaunch.Config{Dir: dir})
	require.NoError(t, err)
	require.Equal(t, []int{server, server}, []int{from, to}, "nothing is left to do")

	require.NoError(t, os.RemoveAll(filepath.Join(dir, "data")))
	require.NoError(t, os.Rename(filepath.Join(dir, "data-"+strconv.Itoa(major)), filepath.Join(dir, "data")))
	again := startServerWith(t, pglaunch.Config{Dir: dir, BinDir: bin})
	require.Equal(t, before, mustQuery[string](t, again.AdminURL("moved"), digest), "the old data is unchanged")
}
