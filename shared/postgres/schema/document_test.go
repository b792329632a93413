package schema_test

import (
	"context"
	"flag"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/postgres/schema"
	"github.com/loadbay/loadbay/shared/testing/pglaunch"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

var update = flag.Bool("update", false, "rewrite docs/schema.sql")

// document is the path of docs/schema.sql.
const document = "../../../docs/schema.sql"

const heading = `-- The database's schema, as all migrations leave it: look here for what a table is,
-- and in migrations/ for why. ` + "`make schema`" + ` writes this file, and a test compares it
-- with a migrated database. Not in it: the roles, which shared/postgres/schema makes,
-- and the rows of countries.
`

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close(context.Background())) })
	return conn
}

// observe connects as the superuser, who finds the tables before and after they leave `public`.
func observe(t *testing.T, server *pglaunch.Server, database string) *pgx.Conn {
	t.Helper()
	conn := connect(t, server.AdminURL(database))
	_, err := conn.Exec(t.Context(), `SET search_path = loadbay, sample, public`)
	require.NoError(t, err)
	return conn
}

func TestDocumentMatchesSchema(t *testing.T) {
	t.Parallel()
	found := heading + describe(t, connect(t, postgrestest.Setup(t).AdminURL))
	if *update {
		require.NoError(t, os.WriteFile(document, []byte(found), 0o644))
		return
	}
	requireDocument(t, found)
}

func requireDocument(t *testing.T, found string) {
	t.Helper()
	kept, err := os.ReadFile(document)
	require.NoError(t, err)
	requireSame(t, string(kept), found, "docs/schema.sql is not what the migrations make: run `make schema`, and commit it.")
}

// requireSame fails with the first statements that differ instead of two whole schemas.
func requireSame(t *testing.T, expected, found, message string) {
	t.Helper()
	as, bs := strings.Split(expected, "\n\n"), strings.Split(found, "\n\n")
	both := min(len(as), len(bs))
	for i := range both {
		require.Equal(t, as[i], bs[i], message)
	}
	require.Equal(t, as[both:], bs[both:], message)
}

// The document is complete: a database created from it equals, according to pg_dump, the one
// that the migrations create.
func TestDocumentCreatesSchema(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	pgDump := filepath.Join(postgrestest.ClientDir(t, d.AdminURL), "pg_dump")
	name := postgrestest.Query[string](t, d, `SELECT current_database() || '_document'`)
	d.Exec(t, `CREATE DATABASE `+name+` OWNER loadbay_owner`)
	t.Cleanup(func() { d.Exec(t, `DROP DATABASE `+name+` WITH (FORCE)`) })
	at := func(address string) string {
		made, err := url.Parse(address)
		require.NoError(t, err)
		made.Path = "/" + name
		return made.String()
	}
	_, err := connect(t, at(d.OwnerURL)).Exec(t.Context(), describe(t, connect(t, d.AdminURL)))
	require.NoError(t, err)
	requireSame(t, dump(t, pgDump, d.AdminURL), dump(t, pgDump, at(d.AdminURL)), "The document leaves something out: describe does not know of it yet.")
}

// restrictions matches lines with a key that differs in every dump.
var restrictions = regexp.MustCompile(`(?m)^\\(un)?restrict .*$`)

func dump(t *testing.T, pgDump, url string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), pgDump, "--schema-only", "--exclude-table=*.goose_db_version*", "--exclude-table=loadbay.ids_of_*", url).Output()
	require.NoError(t, err)
	return grants.ReplaceAllStringFunc(restrictions.ReplaceAllString(string(out), ""), func(lines string) string {
		return strings.Join(slices.Sorted(strings.SplitSeq(lines, "\n")), "\n")
	})
}

// grants matches consecutive GRANT lines; their order depends on when they were granted and is irrelevant.
var grants = regexp.MustCompile(`(?m)^GRANT .*(\nGRANT .*)*`)

// RDS has no superuser: its administrators may create roles and databases, and row level
// security applies to them.
func TestMigrateAsNonSuperuser(t *testing.T) {
	t.Parallel()
	server, err := pglaunch.StartTemporary(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop(context.Background())) })
	_, err = server.EnsureMasterRole(t.Context(), "the_owner", "only-for-tests", "owned")
	require.NoError(t, err)
	owner, err := pgx.ParseConfig(server.URL("the_owner", "only-for-tests", "owned"))
	require.NoError(t, err)
	applied, err := schema.Migrate(t.Context(), owner, schema.Roles(schema.Passwords{App: "only-for-tests", Maintenance: "only-for-tests", Operator: "only-for-tests"}))
	require.NoError(t, err)
	require.NotEmpty(t, applied)
	applied, err = schema.Migrate(t.Context(), owner, schema.Roles(schema.Passwords{}))
	require.NoError(t, err)
	require.Empty(t, applied, "a second run applies nothing")
	requireDocument(t, heading+describe(t, connect(t, server.AdminURL("owned"))))
}
