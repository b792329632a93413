// Package dbcopy_test runs the database copy of the runbook between two local databases with
// owners like those of RDS.
package dbcopy_test

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/postgres/schema"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// sampleRows inserts rows of two organisations, with and without row level security.
const sampleRows = `
	INSERT INTO users (organisation_id, email, name) SELECT o, 'u' || n || '@example.org', 'Zoë' FROM generate_series(1, 2) o, generate_series(1, 500) n;
	INSERT INTO import_jobs (uuid, organisation_id, import_type, mode, original_filename, object_key, size_bytes, request_id)
		SELECT gen_random_uuid(), o, 'USER', 'insert', 'u.csv', 'uploads/1/u', 1, 'r' FROM generate_series(1, 2) o;
	INSERT INTO membership_types (organisation_id, name) SELECT 1, 'T' || n FROM generate_series(1, 7) n;
	INSERT INTO bulk_upload_row (job_id, organisation_id, row_number, status, idempotency_key, idempotency_basis)
		SELECT id, organisation_id, line, 'SKIPPED_DUPLICATE', 'k', 'CLIENT_REFERENCE' FROM import_jobs, generate_series(1, 1000) line`

// createEmptyDatabase creates another database with the same owner.
func createEmptyDatabase(t *testing.T, d *postgrestest.Database) (owner, admin string) {
	t.Helper()
	u, err := url.Parse(d.OwnerURL)
	require.NoError(t, err)
	name := strings.TrimPrefix(u.Path, "/") + "_copy"
	d.Exec(t, "CREATE DATABASE "+name+" OWNER "+u.User.Username())
	t.Cleanup(func() { d.Exec(t, "DROP DATABASE "+name+" WITH (FORCE)") })
	a, err := url.Parse(d.AdminURL)
	require.NoError(t, err)
	u.Path, a.Path = "/"+name, "/"+name
	return u.String(), a.String()
}

// runCopy runs the script.
func runCopy(t *testing.T, d *postgrestest.Database, to string) (string, error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "./copy.sh")
	command.Env = append(os.Environ(), "FROM="+d.OwnerURL, "TO="+to, "PATH="+postgrestest.ClientDir(t, d.AdminURL)+":"+os.Getenv("PATH"))
	output, err := command.CombinedOutput()
	return string(output), err
}

// tableDigests returns a digest of the rows of every table, by name.
func tableDigests(t *testing.T, admin string) map[string]string {
	t.Helper()
	conn := connect(t, admin)
	rows, err := conn.Query(t.Context(), `SELECT oid::regclass::text FROM pg_class WHERE relkind = 'r' AND relnamespace = ANY ('{loadbay,sample}'::regnamespace[])`)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	digests := make(map[string]string, len(tables))
	for _, table := range tables {
		var digest string
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, E'\n' ORDER BY t::text)), '') FROM `+table+` t`).Scan(&digest))
		digests[table] = digest
	}
	return digests
}

func connect(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func queryOne[T any](t *testing.T, conn *pgx.Conn, sql string) (v T) {
	t.Helper()
	require.NoError(t, conn.QueryRow(t.Context(), sql).Scan(&v))
	return v
}

// The reader is a role of the whole cluster, so these tests are not parallel.

// Every row of every organisation is copied; the reader is removed on both sides; and migrate
// and the functions find the same state as before.
func TestCopyTransfersAllRows(t *testing.T) {
	d := postgrestest.Setup(t)
	d.Exec(t, sampleRows)
	require.False(t, queryOne[bool](t, connect(t, d.OwnerURL), `SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = CURRENT_USER`))
	policies := `SELECT count(*)::int FROM pg_policies`
	before := queryOne[int](t, connect(t, d.AdminURL), policies)
	owner, admin := createEmptyDatabase(t, d)
	output, err := runCopy(t, d, owner)
	require.NoError(t, err, output)

	want, got := tableDigests(t, d.AdminURL), tableDigests(t, admin)
	require.Greater(t, len(want), 30)
	require.True(t, strings.HasPrefix(want["users"], "1000 "), want["users"])
	require.Equal(t, want, got)
	for _, address := range []string{d.AdminURL, admin} {
		require.Equal(t, before, queryOne[int](t, connect(t, address), policies))
	}
	require.Zero(t, queryOne[int](t, connect(t, admin), `SELECT count(*)::int FROM pg_roles WHERE rolname = 'loadbay_copy'`))

	config, err := pgx.ParseConfig(owner)
	require.NoError(t, err)
	applied, err := schema.Migrate(t.Context(), config, schema.Roles(schema.Passwords{}))
	require.NoError(t, err)
	require.Empty(t, applied, "the copied schema needs no migration")
	app, err := url.Parse(d.AppURL)
	require.NoError(t, err)
	there, err := url.Parse(owner)
	require.NoError(t, err)
	app.Path = there.Path
	seen := connect(t, app.String())
	require.Zero(t, queryOne[int](t, seen, `SELECT count(*)::int FROM users`), "row level security is enforced")
	_, err = seen.Exec(t.Context(), `SELECT set_config('app.organisation', '2', false)`)
	require.NoError(t, err)
	require.Equal(t, 500, queryOne[int](t, seen, `SELECT count(*)::int FROM users`))
	_, err = seen.Exec(t.Context(), `SELECT set_config('app.organisation', '1', false)`)
	require.NoError(t, err)
	const addType = `INSERT INTO membership_types (organisation_id, name) VALUES (1, 'new') RETURNING id`
	require.Equal(t, queryOne[int](t, connect(t, d.AdminURL), addType), queryOne[int](t, seen, addType), "ids continue")
}

// A database with tables is left unchanged; otherwise rows of two databases would be mixed.
func TestCopyRefusesNonEmptyTarget(t *testing.T) {
	d, other := postgrestest.Setup(t), postgrestest.Setup(t)
	output, err := runCopy(t, d, other.OwnerURL)
	require.Error(t, err)
	require.Contains(t, output, "has tables already")
}

// A restrictive policy would hide rows from the reader, on both sides of the comparison.
func TestCopyReportsHiddenRows(t *testing.T) {
	d := postgrestest.Setup(t)
	d.Exec(t, sampleRows)
	d.Exec(t, `CREATE POLICY hidden ON users AS RESTRICTIVE FOR SELECT TO PUBLIC USING (email <> 'u7@example.org')`)
	owner, admin := createEmptyDatabase(t, d)
	output, err := runCopy(t, d, owner)
	require.Error(t, err)
	require.Contains(t, output, "hidden on users")
	require.Zero(t, queryOne[int](t, connect(t, admin), `SELECT count(*)::int FROM pg_class WHERE relname = 'users'`))
}
