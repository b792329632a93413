package postgres_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// sqlState runs a statement as a role, rolls it back, and returns the code of its error.
func sqlState(t *testing.T, db *postgres.DB, organisation tenant.ID, sql string) string {
	t.Helper()
	undo := errors.New("undo")
	err := db.InOrganisation(t.Context(), organisation, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), sql); err != nil {
			return err
		}
		return undo
	})
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return refused.Code
	}
	require.ErrorIs(t, err, undo)
	return ""
}

func TestRolesCannotSetRole(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	for name, db := range map[string]*postgres.DB{"loadbay_app": d.DB, "loadbay_maintenance": d.Maintenance, "loadbay_operator": d.Operator} {
		require.Empty(t, sqlState(t, db, 1, `SELECT`))
		for _, other := range []string{"loadbay_app", "loadbay_maintenance", "loadbay_operator", "loadbay_owner", "postgres"} {
			if other == name {
				continue
			}
			for _, sql := range []string{`SET LOCAL ROLE ` + other, `SET LOCAL SESSION AUTHORIZATION ` + other, `GRANT ` + other + ` TO ` + name} {
				require.Equal(t, insufficientPrivilege, sqlState(t, db, 1, sql), "%s: %s", name, sql)
			}
		}
	}
}

func TestOnlyOperatorCreatesOrganisations(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	for _, sql := range []string{
		`INSERT INTO organisations (id, name) VALUES (9, 'Nine')`, `UPDATE organisations SET name = 'x' WHERE id = 1`, `UPDATE organisations SET deactivated_at = now()`,
	} {
		require.Empty(t, sqlState(t, d.Operator, 1, sql), sql)
		require.Equal(t, insufficientPrivilege, sqlState(t, d.DB, 1, sql), sql)
		require.Equal(t, insufficientPrivilege, sqlState(t, d.Maintenance, 1, sql), sql)
	}
	require.Equal(t, insufficientPrivilege, sqlState(t, d.Operator, 1, `DELETE FROM organisations`))
}

// The operator manages the reference data of one organisation per transaction, and cannot
// read imported data.
func TestOperatorWritesOneOrganisationPerTransaction(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	admin := connect(t, d.AdminURL)
	dropConstraints(t, admin)
	kept := tablesThat(t, d, "loadbay_operator", true)
	for _, table := range tenantTables(t, admin) {
		for _, organisation := range []tenant.ID{1, 2} {
			_, err := admin.Exec(t.Context(), insertion(t, admin, table, organisation))
			require.NoError(t, err)
		}
		if table == "table_grants" { // which name the organisations that have them, and no values
			require.NoError(t, d.Operator.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
				tag, err := tx.Exec(t.Context(), `DELETE FROM table_grants`)
				require.EqualValues(t, 2, tag.RowsAffected())
				return err
			}))
			require.Empty(t, sqlState(t, d.Operator, 1, insertion(t, admin, table, 2)))
			require.Equal(t, insufficientPrivilege, sqlState(t, d.Operator, 1, `UPDATE table_grants SET organisation_id = 1`))
			continue
		}
		mine := false
		for _, name := range kept {
			mine = mine || name == table
		}
		if overseen := operatorColumns()[table]; overseen != "" {
			n := 0
			require.NoError(t, d.Operator.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
				return tx.QueryRow(t.Context(), `SELECT count(*) FROM (SELECT `+overseen+` FROM `+table+`) AS seen`).Scan(&n)
			}))
			require.Equal(t, 2, n, "both organisations are visible")
			require.Equal(t, insufficientPrivilege, sqlState(t, d.Operator, 1, `SELECT * FROM `+table), table)
			require.Equal(t, insufficientPrivilege, sqlState(t, d.Operator, 1, `UPDATE `+table+` SET organisation_id = 1`), table)
			require.Equal(t, insufficientPrivilege, sqlState(t, d.Operator, 1, insertion(t, admin, table, 1)), table)
			require.Equal(t, insufficientPrivilege, sqlState(t, d.Operator, 1, `DELETE FROM `+table), table)
			continue
		}
		if !mine {
			require.Equal(t, insufficientPrivilege, sqlState(t, d.Operator, 1, `SELECT FROM `+table), table)
			continue
		}
		require.Equal(t, []policy{{
			Name: "operator", Command: "ALL", Permissive: "PERMISSIVE", Roles: []string{"loadbay_operator"}, Using: ownRows, Check: ownRows,
		}}, policiesFor(t, admin, table, "loadbay_operator"))
		var n int
		require.NoError(t, d.Operator.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT count(*) FROM `+table).Scan(&n)
		}))
		require.Equal(t, 1, n, table)
		require.Equal(t, insufficientPrivilege, sqlState(t, d.Operator, 1, insertion(t, admin, table, 2)), table)
		require.Equal(t, insufficientPrivilege, sqlState(t, d.Operator, 1, `DELETE FROM `+table), table)
	}
}

// operatorColumns returns all columns of organisations' work that operators can read, by table:
// none contains values of a file, its name, or data of a person.
func operatorColumns() map[string]string {
	return map[string]string{
		"import_jobs": "id, uuid, organisation_id, import_type, purpose, status, created_at, updated_at, uploaded_at, started_at, completed_at, total_rows, created_count, updated_count, " +
			"unchanged_count, skipped_count, error_count, chunk_total, chunks_done, split_complete, callback_pending, failure_code",
		"import_chunks":      "job_id, chunk_index, done",
		"import_sources":     "job_id, touched_at, requeues",
		"export_jobs":        "id, uuid, organisation_id, import_type, format, status, record_count, created_at, started_at, completed_at, touched_at, requeues, failure_code",
		"webhook_deliveries": "status, next_attempt_at, queued_at",
		"person_erasures":    "organisation_id, person_id, changes, began_at",
		// Ids of deleted organisations are not used again.
		"organisation_deletions": "organisation_id",
		// The operator confirms the domains.
		"organisation_settings": "organisation_id, mail_domains",
	}
}

func TestOperatorColumnGrants(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	for table, columns := range operatorColumns() {
		require.Equal(t, columns, postgrestest.Query[string](t, d, `
			SELECT string_agg(attname, ', ' ORDER BY array_position(string_to_array($2, ', '), attname::text))
			FROM pg_attribute
			WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped AND has_column_privilege('loadbay_operator', attrelid, attnum, 'SELECT')`, table, columns), table)
	}
}

// An event of the drop folder may be repeated after the organisation was deactivated: its
// file is being imported, and must not be treated as a new one.
func TestInactiveOrganisationFinishesOpenImports(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	begun := d.AddJob(t, "status = 'PROCESSING'")
	d.Exec(t, `UPDATE organisations SET deactivated_at = now() WHERE id = 1`)
	create := func(j *job.Job) (kept *job.Job, err error) {
		err = d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) (err error) {
			kept, err = d.DB.CreateJob(t.Context(), tx, j)
			return err
		})
		return kept, err
	}
	kept, err := create(begun)
	require.NoError(t, err)
	require.Equal(t, begun.ID, kept.ID)
	other := *begun
	other.ID = job.ID(uuid.NewString())
	_, err = create(&other)
	require.Equal(t, problem.OrgInactive, problem.CodeOf(err))
}

// docs/runbook.md describes this for people who inspect the database.
func TestOwnerCanSetMaintenanceRole(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	d.AddJob(t, "status = 'PROCESSING'")
	owner := connect(t, d.OwnerURL)
	var n int
	require.NoError(t, owner.QueryRow(t.Context(), `SELECT count(*) FROM import_jobs`).Scan(&n))
	require.Zero(t, n)
	for _, sql := range []string{`BEGIN`, `GRANT loadbay_maintenance TO CURRENT_USER`, `SET LOCAL ROLE loadbay_maintenance`} {
		_, err := owner.Exec(t.Context(), sql)
		require.NoError(t, err, sql)
	}
	require.NoError(t, owner.QueryRow(t.Context(), `SELECT count(*) FROM import_jobs`).Scan(&n))
	require.Equal(t, 1, n)
	_, err := owner.Exec(t.Context(), `ROLLBACK`)
	require.NoError(t, err)
	require.NoError(t, owner.QueryRow(t.Context(), `SELECT count(*) FROM pg_auth_members WHERE member = 'loadbay_owner'::regrole AND NOT admin_option`).Scan(&n))
	require.Zero(t, n, "the membership is revoked")
}

// The tests connect with the same rights as the product on RDS: a superuser, who bypasses row
// level security, would hide missing permissions.
func TestSuiteConnectsAsNonSuperuser(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	const query = `SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = session_user`
	for name, db := range map[string]*postgres.DB{"app": d.DB, "maintenance": d.Maintenance, "operator": d.Operator} {
		var exempt bool
		require.NoError(t, db.AcrossOrganisations(t.Context(), func(tx pgx.Tx) error { return tx.QueryRow(t.Context(), query).Scan(&exempt) }))
		require.False(t, exempt, name)
	}
	owner := connect(t, d.OwnerURL)
	var exempt bool
	require.NoError(t, owner.QueryRow(t.Context(), query).Scan(&exempt))
	require.False(t, exempt)
	require.Equal(t, "loadbay_owner", postgrestest.Query[string](t, d, `SELECT string_agg(DISTINCT relowner::regrole::text, ',') FROM pg_class WHERE relnamespace = ANY ('{loadbay,sample}'::regnamespace[])`))
	var n int
	require.NoError(t, owner.QueryRow(t.Context(), `SELECT count(*) FROM organisations`).Scan(&n))
	require.Zero(t, n, "row level security applies to the owner")
}
