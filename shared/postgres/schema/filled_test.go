package schema_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/migrations"
	"github.com/loadbay/loadbay/shared/postgres/schema"
	"github.com/loadbay/loadbay/shared/testing/pglaunch"
)

// tighteningMigration is the migration that adds the organisation to foreign keys.
const tighteningMigration = "organisations_in_foreign_keys.sql"

// withRoles starts a cluster with the roles, which the migrations alone do not create.
func withRoles(t *testing.T) *pglaunch.Server {
	t.Helper()
	server, err := pglaunch.StartTemporary(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop(context.Background())) })
	_, err = connect(t, server.AdminURL("")).Exec(t.Context(), `CREATE ROLE loadbay_app LOGIN; CREATE ROLE loadbay_maintenance LOGIN; CREATE ROLE loadbay_operator LOGIN`)
	require.NoError(t, err)
	return server
}

// filledDatabase creates a database with an owner that has the rights of one on RDS, at the version
// before that migration. It contains an import of each of two organisations with all related rows.
func filledDatabase(t *testing.T, server *pglaunch.Server, name string) (admin *pgx.Conn, owner *pgx.ConnConfig) {
	t.Helper()
	cluster := connect(t, server.AdminURL(""))
	for _, sql := range []string{
		`CREATE ROLE owner_of_` + name + ` LOGIN NOSUPERUSER NOBYPASSRLS CREATEROLE CREATEDB PASSWORD 'only-for-tests'`,
		`CREATE DATABASE ` + name + ` OWNER owner_of_` + name,
	} {
		_, err := cluster.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	owner, err := pgx.ParseConfig(server.URL("owner_of_"+name, "only-for-tests", name))
	require.NoError(t, err)
	db := stdlib.OpenDB(*owner)
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.Files)
	require.NoError(t, err)
	for _, source := range provider.ListSources() {
		if strings.HasSuffix(source.Path, tighteningMigration) {
			_, err = provider.UpTo(t.Context(), source.Version-1)
			require.NoError(t, err)
		}
	}
	admin = observe(t, server, name)
	_, err = admin.Exec(t.Context(), `
		INSERT INTO organisations (id, name) VALUES (1, 'One'), (2, 'Two');
		INSERT INTO import_jobs (uuid, organisation_id, import_type, mode, original_filename, object_key, size_bytes, request_id)
			SELECT gen_random_uuid(), organisation, 'USER', 'insert', 'u.csv', 'uploads/1/u', 1, 'r' FROM generate_series(1, 2) AS organisation;
		INSERT INTO import_sources (job_id, organisation_id, url) SELECT id, organisation_id, 'https://files.example/' FROM import_jobs;
		INSERT INTO webhook_deliveries (event_id, organisation_id, event_type, body) VALUES (gen_random_uuid(), 1, 'webhook.test', '{}');
		INSERT INTO bulk_upload_row (job_id, organisation_id, row_number, status, idempotency_key, idempotency_basis)
			SELECT id, organisation_id, line, 'SKIPPED_DUPLICATE', 'k', 'CLIENT_REFERENCE' FROM import_jobs, generate_series(1, 1000) AS line`)
	require.NoError(t, err)
	return admin, owner
}

// Migrations also work on a database in use. Row level security applies to its owner: if it were
// active during validation, every foreign key would be valid.
func TestMigrateValidatesForeignKeys(t *testing.T) {
	t.Parallel()
	server := withRoles(t)

	sound, owner := filledDatabase(t, server, "sound")
	_, err := schema.Migrate(t.Context(), owner, nil)
	require.NoError(t, err)
	requireDocument(t, heading+describe(t, sound))

	mixed, owner := filledDatabase(t, server, "mixed")
	_, err = mixed.Exec(t.Context(), `UPDATE bulk_upload_row SET organisation_id = 2 WHERE organisation_id = 1 AND row_number = 500`)
	require.NoError(t, err)
	_, err = schema.Migrate(t.Context(), owner, nil)
	require.ErrorContains(t, err, "bulk_upload_row_job_fkey")
	_, err = mixed.Exec(t.Context(), `UPDATE bulk_upload_row SET organisation_id = 1 WHERE job_id = 1`)
	require.NoError(t, err)
	_, err = schema.Migrate(t.Context(), owner, nil)
	require.NoError(t, err, "the migration continues after the row is corrected")
	requireDocument(t, heading+describe(t, mixed))
}

// A migration that waits for a table would make all statements on the table wait behind it.
func TestMigrateDoesNotBlockOthersForLong(t *testing.T) {
	t.Parallel()
	server := withRoles(t)
	admin, owner := filledDatabase(t, server, "busy")
	export, err := observe(t, server, "busy").Begin(t.Context())
	require.NoError(t, err)
	_, err = export.Exec(t.Context(), `SELECT FROM import_jobs`)
	require.NoError(t, err)

	type outcome struct {
		applied []string
		err     error
	}
	done := make(chan outcome, 1)
	go func() {
		applied, err := schema.Migrate(t.Context(), owner, nil)
		done <- outcome{applied, err}
	}()
	waiting := func() (n int) {
		require.NoError(t, admin.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'import_jobs'::regclass AND mode = 'AccessExclusiveLock'`).Scan(&n))
		return n
	}
	for waiting() == 0 {
		select {
		case o := <-done:
			require.Fail(t, "no migration needed the lock", "%v", o)
		case <-time.After(20 * time.Millisecond):
		}
	}
	_, err = observe(t, server, "busy").Exec(t.Context(), `SELECT FROM import_jobs`)
	require.NoError(t, err, "waits until the migration gives up, while the export runs on")

	require.NoError(t, export.Rollback(t.Context()))
	o := <-done
	require.NoError(t, o.err)
	require.Len(t, o.applied, len(slices.Compact(slices.Sorted(slices.Values(o.applied)))), "each migration is applied once")
	requireDocument(t, heading+describe(t, admin))
}
