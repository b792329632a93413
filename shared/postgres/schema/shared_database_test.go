package schema_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/postgres/schema"
	"github.com/loadbay/loadbay/shared/testing/pglaunch"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// tablesOfOthers have the names of Loadbay's, and policies with the names that its migrations look
// for, in a database whose owner has another purpose for it.
const tablesOfOthers = `
	CREATE TABLE users (id serial PRIMARY KEY, email text UNIQUE);
	CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id int REFERENCES users, job_id bigint);
	CREATE TABLE events (name text);
	CREATE TABLE countries (code char(2) PRIMARY KEY);
	CREATE TABLE goose_db_version (id serial PRIMARY KEY, version_id bigint NOT NULL, is_applied boolean NOT NULL, tstamp timestamp DEFAULT now());
	CREATE VIEW import_jobs AS SELECT * FROM orders;
	CREATE FUNCTION current_organisation() RETURNS int LANGUAGE sql AS 'SELECT 42';
	ALTER TABLE users ENABLE ROW LEVEL SECURITY;
	CREATE POLICY tenant ON users USING (id > 0);
	ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
	CREATE POLICY maintenance ON orders USING (true);
	INSERT INTO users (email) VALUES ('ada@example.org');
	INSERT INTO orders (user_id) VALUES (1);
	INSERT INTO countries VALUES ('DE');
	INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, true), (31, true)`

// Loadbay can be installed in a database that others use: what is theirs stays as it is, also their
// access to the database.
func TestMigrateLeavesTablesOfOthers(t *testing.T) {
	t.Parallel()
	server, err := pglaunch.StartTemporary(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop(context.Background())) })
	_, err = server.EnsureMasterRole(t.Context(), "the_owner", "only-for-tests", "shop")
	require.NoError(t, err)
	theirs := connect(t, server.URL("the_owner", "only-for-tests", "shop"))
	_, err = theirs.Exec(t.Context(), tablesOfOthers)
	require.NoError(t, err)
	before := dumpPublic(t, server)

	for _, owner := range []string{"the_owner", "loadbay_owner"} {
		_, err = server.EnsureMasterRole(t.Context(), owner, "only-for-tests", "shop")
		require.NoError(t, err)
		config, err := pgx.ParseConfig(server.URL(owner, "only-for-tests", "shop"))
		require.NoError(t, err)
		for range 2 {
			_, err = schema.Migrate(t.Context(), config, schema.Roles(schema.Passwords{}))
			require.NoError(t, err)
			require.Equal(t, before, dumpPublic(t, server))
		}
		requireDocument(t, heading+describe(t, connect(t, server.AdminURL("shop"))))

		var tables, database string
		require.NoError(t, theirs.QueryRow(t.Context(), `
			SELECT (SELECT count(*) || ' ' || min(email) FROM users), (SELECT datdba::regrole || ' ' || coalesce(datacl::text, '') FROM pg_database WHERE datname = 'shop')`).Scan(&tables, &database))
		require.Equal(t, "1 ada@example.org", tables, "names of the owner of these tables mean what they meant")
		if owner == "the_owner" {
			require.Equal(t, "the_owner ", database, "nobody has lost a right")
			_, err = theirs.Exec(t.Context(), `DROP SCHEMA loadbay, sample CASCADE`)
			require.NoError(t, err)
		} else {
			require.Contains(t, database, "the_owner ", "somebody else's database is not taken over")
		}
	}
}

// dumpPublic dumps the schema public with its rows.
func dumpPublic(t *testing.T, server *pglaunch.Server) string {
	t.Helper()
	pgDump := filepath.Join(postgrestest.ClientDir(t, server.AdminURL("")), "pg_dump")
	out, err := exec.CommandContext(t.Context(), pgDump, "--schema=public", server.AdminURL("shop")).Output()
	require.NoError(t, err)
	return restrictions.ReplaceAllString(string(out), "")
}
