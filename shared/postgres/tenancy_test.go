package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

const (
	insufficientPrivilege = "42501"
	foreignKeyViolation   = "23503"
)

// column is a column that an INSERT must set.
type column struct{ Name, Type string }

// tenantTables returns all tables with rows of an organisation, according to the
// catalogue, so that tables of later migrations are tested without a change here.
func tenantTables(t *testing.T, admin *pgx.Conn) []string {
	t.Helper()
	rows, err := admin.Query(t.Context(), `
		SELECT c.oid::regclass::text
		FROM pg_class AS c
		JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'organisation_id'
		WHERE c.relnamespace = ANY ('{loadbay,sample}'::regnamespace[]) AND c.relkind IN ('r', 'p')
		ORDER BY 1`)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Subset(t, tables, []string{"import_jobs", "import_row_results", "users", "memberships"})
	return tables
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close(context.Background())) })
	return conn
}

func TestTenantTablesHaveRowLevelSecurity(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	admin := connect(t, d.AdminURL)
	for _, table := range tenantTables(t, admin) {
		t.Run(table, func(t *testing.T) {
			var enabled, forced, notNull bool
			require.NoError(t, admin.QueryRow(t.Context(), `
				SELECT c.relrowsecurity, c.relforcerowsecurity, a.attnotnull
				FROM pg_class AS c
				JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'organisation_id'
				WHERE c.oid = $1::text::regclass`, table).Scan(&enabled, &forced, &notNull))
			require.True(t, enabled, "enabled")
			require.True(t, forced, "row level security is forced for the owner too")
			require.True(t, notNull, "every row has an organisation")
			require.Equal(t, []policy{{
				Name: "tenant", Command: "ALL", Permissive: "PERMISSIVE", Roles: []string{"loadbay_app"}, Using: ownRows, Check: ownRows,
			}}, policiesFor(t, admin, table, "loadbay_app"))
		})
	}
}

// Postgres checks foreign keys without row level security, so the keys themselves must
// require that the referenced row belongs to the same organisation.
func TestForeignKeysIncludeOrganisation(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	rows, err := connect(t, d.AdminURL).Query(t.Context(), `
		SELECT conrelid::regclass || ': ' || pg_get_constraintdef(c.oid)
		FROM pg_constraint AS c
		LEFT JOIN pg_attribute AS own ON own.attrelid = conrelid AND own.attname = 'organisation_id'
		LEFT JOIN pg_attribute AS its ON its.attrelid = confrelid
			AND its.attname = CASE confrelid WHEN 'organisations'::regclass THEN 'id' ELSE 'organisation_id' END
		WHERE contype = 'f' AND c.connamespace = ANY ('{loadbay,sample}'::regnamespace[])
		  AND (NOT convalidated -- rows that were there before it have not been looked at
		    OR confrelid <> 'countries'::regclass AND NOT EXISTS (
				SELECT FROM unnest(conkey, confkey) AS pair (referring, referred)
				WHERE referring = own.attnum AND referred = its.attnum))`)
	require.NoError(t, err)
	loose, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Empty(t, loose)
}

func TestInsertIntoForeignImportFails(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	d.Exec(t, `INSERT INTO import_jobs (uuid, organisation_id, import_type, mode, original_filename, object_key, size_bytes, request_id)
		VALUES (gen_random_uuid(), 1, 'USER', 'insert', 'u.csv', 'uploads/1/u', 1, 'r')`)
	insert := func(organisation tenant.ID) (int64, error) {
		return rowsAffected(t, d, organisation, fmt.Sprintf(`INSERT INTO import_sources (job_id, organisation_id, url) VALUES (%d, %d, 'https://files.example/')`,
			postgrestest.Query[int64](t, d, `SELECT max(id) FROM import_jobs`), organisation))
	}
	_, err := insert(2)
	var refused *pgconn.PgError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, foreignKeyViolation, refused.Code)
	n, err := insert(1)
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
}

// policy is a row of pg_policies.
type policy struct {
	Name, Command, Permissive string
	Roles                     []string
	Using, Check              string
}

const ownRows = "(organisation_id = ( SELECT current_organisation() AS current_organisation))"

// policiesFor returns the policies that allow a role to see rows of a table.
func policiesFor(t *testing.T, admin *pgx.Conn, table, role string) []policy {
	t.Helper()
	rows, err := admin.Query(t.Context(), `
		SELECT policyname::text, cmd, permissive, roles::text[], coalesce(qual, ''), coalesce(with_check, '')
		FROM pg_policies
		WHERE schemaname IN ('loadbay', 'sample') AND tablename = $1 AND roles && ARRAY[$2, 'public']::name[]
		ORDER BY policyname`, table, role)
	require.NoError(t, err)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[policy])
	require.NoError(t, err)
	return found
}

func TestFunctionRolesHaveNoExtraPrivileges(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	require.Zero(t, postgrestest.Query[int](t, d, `
		SELECT count(*)
		FROM pg_roles
		WHERE rolname IN ('loadbay_app', 'loadbay_maintenance', 'loadbay_operator')
		  AND (rolsuper OR rolbypassrls OR rolcreaterole OR EXISTS (SELECT FROM pg_auth_members WHERE member = pg_roles.oid AND roleid::regrole::text <> 'rds_iam'))`))
	require.Zero(t, postgrestest.Query[int](t, d, `
		SELECT count(*)
		FROM pg_class
		WHERE relowner::regrole::text IN ('loadbay_app', 'loadbay_maintenance', 'loadbay_operator')`), "the roles own no tables, as an owner could disable row level security")
	require.Equal(t, []string{"countries", "installation", "organisations"}, tablesThat(t, d, "loadbay_app", false),
		"tables without tenant rows are shared, or have a policy on their own id")
	for _, table := range tablesThat(t, d, "loadbay_maintenance", true) {
		require.Contains(t, jobTables(t, d), table, "the maintenance role reads only tables of jobs")
	}
	require.Empty(t, tablesThat(t, d, "loadbay_maintenance", false))
	require.Equal(t, []string{"event_categories", "events", "membership_periods", "membership_types", "table_grants"}, tablesThat(t, d, "loadbay_operator", true))
	require.Equal(t, []string{"organisations"}, tablesThat(t, d, "loadbay_operator", false))
	require.Zero(t, postgrestest.Query[int](t, d, `
		SELECT count(*)
		FROM pg_class
		WHERE relnamespace = ANY ('{loadbay,sample}'::regnamespace[]) AND relkind IN ('v', 'm') AND NOT coalesce(reloptions @> '{security_invoker=true}', false)`),
		"views must not run with their owner's rights")
}

// reconcile and purge act for all organisations, so they may read keys, times and states, and no
// value of a cell.
func TestMaintenanceRoleReadsNoValues(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	expected := map[string][]string{
		"bulk_upload_row":        {"ctid", "job_id", "row_number"},
		"event_mails":            {"ctid", "event_id", "job_id"},
		"import_cell_mappings":   {"ctid", "id", "job_id"},
		"import_changes":         {"chunk_index", "ctid", "job_id", "part"},
		"import_chunks":          {"chunk_index", "ctid", "job_id"},
		"import_column_mappings": {"ctid", "id", "job_id"},
		"import_given_mappings":  {"ctid", "job_id"},
		"import_last_rows":       {"ctid", "job_id"},
		"import_plan_changes":    {"chunk_index", "ctid", "job_id", "part"},
		"import_repeated_rows":   {"ctid", "job_id", "row_number"},
		"import_row_corrections": {"ctid", "job_id", "row_number"},
		"import_row_results":     {"ctid", "job_id", "row_number"},
		"import_undo_retries":    {"changes", "ctid", "job_id", "retry"},
		"import_sources":         {"ctid", "job_id", "organisation_id", "requeues", "touched_at"},
		"kept_changes":           {"ctid", "id", "job_id"},
		"person_erasures":        {"organisation_id", "person_id", "requeues", "touched_at"},
		"quarantined_drops":      {"quarantined_at"},
		"webhook_deliveries":     {"created_at", "ctid", "event_id", "export_id", "job_id", "next_attempt_at", "organisation_id", "queued_at", "status"},
	}
	complete := []string{"export_jobs", "import_jobs", "job_events", "purged_jobs"}
	for _, table := range tablesThat(t, d, "loadbay_maintenance", true) {
		if slices.Contains(complete, table) {
			continue
		}
		require.Contains(t, expected, table, "list what the maintenance role may read of this table")
		require.Equal(t, expected[table], postgrestest.Query[[]string](t, d, `
			SELECT array_agg(attname::text ORDER BY attname::text)
			FROM pg_attribute
			WHERE attrelid = $1::regclass AND NOT attisdropped AND has_column_privilege('loadbay_maintenance', attrelid, attnum, 'SELECT')`, table), table)
		err := d.Maintenance.AcrossOrganisations(t.Context(), func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), `SELECT * FROM `+table)
			return err
		})
		require.ErrorContains(t, err, "permission denied", table)
	}
}

// jobTables returns the tables with rows of a job, and the table of files that
// never became a job.
func jobTables(t *testing.T, d *postgrestest.Database) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, d, `
		SELECT array_agg(c.relname::text)
		FROM pg_class AS c
		WHERE c.relnamespace = ANY ('{loadbay,sample}'::regnamespace[]) AND c.relkind IN ('r', 'p')
		  AND (c.relname LIKE '%\_jobs' OR c.relname = 'quarantined_drops' OR EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = 'job_id'))`)
}

// tablesThat returns the tables on which the role has any privilege: tenant tables or the
// others. Views are not listed, because a reader sees what the tables let it see.
func tablesThat(t *testing.T, d *postgrestest.Database, role string, tenants bool) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, d, `
		SELECT array_agg(c.relname::text ORDER BY c.relname)
		FROM pg_class AS c
		WHERE c.relnamespace = ANY ('{loadbay,sample}'::regnamespace[]) AND c.relkind IN ('r', 'p')
		  AND EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = 'organisation_id') = $2
		  AND has_table_privilege($1, c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')`, role, tenants)
}

// Every table gets one row per organisation. One organisation then tries to access the
// other's rows in every way.
func TestOrganisationsAreIsolated(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	admin := connect(t, d.AdminURL)
	dropConstraints(t, admin)
	for _, table := range tenantTables(t, admin) {
		t.Run(table, func(t *testing.T) {
			for _, organisation := range []tenant.ID{1, 2} {
				_, err := admin.Exec(t.Context(), insertion(t, admin, table, organisation))
				require.NoError(t, err)
			}
			own := func(sql string) (int64, error) { return rowsAffected(t, d, 1, sql) }

			n, err := own(`SELECT FROM ` + table)
			require.NoError(t, err)
			require.Equal(t, int64(1), n, "only the own organisation is visible")
			n, err = rowsAffected(t, d, 3, `SELECT FROM `+table)
			require.NoError(t, err)
			require.Zero(t, n)

			for _, sql := range []string{
				`SELECT FROM ` + table + ` WHERE organisation_id = 2`,
				`UPDATE ` + table + ` SET organisation_id = 1 WHERE organisation_id = 2`,
				`DELETE FROM ` + table + ` WHERE organisation_id = 2`,
			} {
				if n, err = own(sql); isNeverGranted(table, sql) {
					require.ErrorContains(t, err, "permission denied", sql)
					continue
				}
				require.NoError(t, err, sql)
				require.Zero(t, n, sql)
			}
			for _, sql := range []string{
				`UPDATE ` + table + ` SET organisation_id = 2 WHERE organisation_id = 1`,
				insertion(t, admin, table, 2),
			} {
				_, err = own(sql)
				var refused *pgconn.PgError
				require.ErrorAs(t, err, &refused, sql)
				require.Equal(t, insufficientPrivilege, refused.Code, sql)
				if !isNeverGranted(table, sql) {
					require.Contains(t, refused.Message, "row-level security", sql)
				}
			}
			_, err = own(`TRUNCATE ` + table)
			require.Error(t, err)
		})
	}
}

// isNeverGranted reports whether no role may run the statement.
func isNeverGranted(table, sql string) bool {
	operation, _, _ := strings.Cut(sql, " ")
	return slices.Contains(map[string][]string{
		"import_profile_versions": {"UPDATE"},
		"table_grants":            {"UPDATE"},
		"import_type_versions":    {"UPDATE"},
	}[table], operation)
}

// A transaction without an organisation, as on a connection that another caller used before,
// sees no rows.
func TestTransactionWithoutOrganisationSeesNothing(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	admin := connect(t, d.AdminURL)
	dropConstraints(t, admin)
	tables := tenantTables(t, admin)
	for _, table := range tables {
		_, err := admin.Exec(t.Context(), insertion(t, admin, table, 1))
		require.NoError(t, err)
	}
	app := connect(t, d.AppURL)
	_, err := app.Exec(t.Context(), `BEGIN; SELECT set_config('app.organisation', '1', true); COMMIT`)
	require.NoError(t, err)
	for _, table := range tables {
		var n int
		require.NoError(t, app.QueryRow(t.Context(), `SELECT count(*) FROM `+table).Scan(&n))
		require.Zero(t, n, table)
	}
}

// rowsAffected runs a statement with the functions' role, rolls it back, and returns how many
// rows it affected.
func rowsAffected(t *testing.T, d *postgrestest.Database, organisation tenant.ID, sql string) (n int64, err error) {
	t.Helper()
	undo := errors.New("undo")
	err = d.DB.InOrganisation(t.Context(), organisation, func(tx pgx.Tx) error {
		tag, err := tx.Exec(t.Context(), sql)
		if err != nil {
			return err
		}
		n = tag.RowsAffected()
		return undo
	})
	if errors.Is(err, undo) {
		err = nil
	}
	return n, err
}

// dropConstraints drops constraints that reject generated rows and do not concern tenants.
func dropConstraints(t *testing.T, admin *pgx.Conn) {
	t.Helper()
	_, err := admin.Exec(t.Context(), `
		DO $$
		DECLARE rule record;
		BEGIN
			FOR rule IN SELECT conrelid::regclass AS t, conname FROM pg_constraint WHERE contype IN ('c', 'f') AND connamespace = ANY ('{loadbay,sample}'::regnamespace[]) LOOP
				EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', rule.t, rule.conname);
			END LOOP;
		END $$`)
	require.NoError(t, err)
}

// insertion returns a statement that inserts a generated row of an organisation.
func insertion(t *testing.T, admin *pgx.Conn, table string, organisation tenant.ID) string {
	t.Helper()
	rows, err := admin.Query(t.Context(), `
		SELECT attname::text AS name, format_type(atttypid, NULL) AS type
		FROM pg_attribute
		WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped AND attnotnull AND NOT atthasdef AND attidentity = ''
		ORDER BY attnum`, table)
	require.NoError(t, err)
	columns, err := pgx.CollectRows(rows, pgx.RowToStructByName[column])
	require.NoError(t, err)
	names, values := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
		if values[i] = fmt.Sprintf("'%d'", organisation); c.Name != "organisation_id" {
			values[i] = generateValue(t, c, organisation)
		}
	}
	return fmt.Sprintf(`INSERT INTO %s (%s) VALUES (%s)`, table, strings.Join(names, ", "), strings.Join(values, ", "))
}

// generateValue returns a value of the column's type that differs between organisations.
func generateValue(t *testing.T, c column, organisation tenant.ID) string {
	t.Helper()
	switch c.Type {
	case "smallint", "integer", "bigint", "numeric", "real", "double precision", "text", `"char"`:
		return fmt.Sprintf("'%d'", organisation)
	case "uuid":
		return "gen_random_uuid()"
	case "boolean":
		return "false"
	case "date", "timestamp with time zone":
		return "'2026-01-31'"
	case "json", "jsonb":
		return "'{}'"
	case "bytea":
		return `'\x00'`
	}
	if strings.HasSuffix(c.Type, "[]") {
		return "'{}'"
	}
	require.Failf(t, "type without a made-up value", "column %s has type %s: add one", c.Name, c.Type)
	return ""
}
