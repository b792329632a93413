package postgres_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/entitytable"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/postgres/searchpath"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// userTable describes the table of users, with the ids of all users.
func userTable(t *testing.T, d *postgrestest.Database, tx pgx.Tx) (*entitytable.Table, []string) {
	t.Helper()
	table, err := d.DB.EntityTable(t.Context(), tx, "users")
	require.NoError(t, err)
	rows, err := tx.Query(t.Context(), `SELECT id::text FROM users ORDER BY email`)
	require.NoError(t, err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return table, ids
}

// A foreign key that would delete or change the rows of others with an entity protects it from an
// undo, as one that forbids the deletion does.
func TestEveryForeignKeyProtectsEntities(t *testing.T) {
	t.Parallel()
	for _, action := range []string{"NO ACTION", "RESTRICT", "CASCADE", "SET NULL"} {
		d := postgrestest.Setup(t)
		d.Exec(t, `
			CREATE SCHEMA crm;
			GRANT USAGE ON SCHEMA crm TO loadbay_app;
			CREATE TABLE crm.notes (organisation_id bigint, user_id uuid, FOREIGN KEY (organisation_id, user_id) REFERENCES users (organisation_id, id) ON DELETE `+action+`);
			GRANT SELECT ON crm.notes TO loadbay_app;
			INSERT INTO users (organisation_id, email, name) VALUES (1, 'a@example.org', 'x'), (1, 'b@example.org', 'x');
			INSERT INTO crm.notes SELECT 1, id FROM users WHERE email = 'a@example.org'`)
		inOrganisation(t, d, 1, func(tx pgx.Tx) {
			table, ids := userTable(t, d, tx)
			referenced, err := d.DB.Referenced(t.Context(), tx, table, ids)
			require.NoError(t, err)
			require.Equal(t, map[string]bool{ids[0]: true}, referenced, action)
		})
	}
}

// A column that has become narrower refuses what does not fit, also if its type is a domain: a cast
// would cut the value silently.
func TestNarrowedColumnRefusesValues(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	d.Exec(t, `
		CREATE DOMAIN short AS varchar(3);
		INSERT INTO users (organisation_id, email, name) VALUES (1, 'a@example.org', 'x')`)
	for _, narrow := range []string{"varchar(3)", "short", "char(3)"} {
		d.Exec(t, `ALTER TABLE users ALTER COLUMN name TYPE `+narrow)
		err := d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
			table, ids := userTable(t, d, tx)
			row := entitytable.Row{ID: ids[0], Row: 1, Values: []*string{new("abcdef")}}
			return d.DB.UpdateEntities(t.Context(), tx, table, job.Key(1), []string{"name"}, []entitytable.Row{row})
		})
		var refused *pgconn.PgError
		require.ErrorAs(t, err, &refused, narrow)
		require.Equal(t, "22001", refused.Code)
	}
}

// A writer with no right in the schema loadbay writes to a captured table as to any other.
func TestCaptureNeedsNoRightsOfOthers(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	role := strings.ReplaceAll(t.Name(), "Test", "other_")
	d.Exec(t, fmt.Sprintf(`
		CREATE ROLE %[1]s;
		CREATE SCHEMA shop;
		CREATE TABLE shop.products (id int PRIMARY KEY, name text);
		CALL capture_changes_of('shop.products');
		GRANT USAGE ON SCHEMA shop TO %[1]s;
		GRANT ALL ON shop.products TO %[1]s`, role))
	t.Cleanup(func() { d.Exec(t, fmt.Sprintf(`DROP OWNED BY %[1]s; DROP ROLE %[1]s`, role)) })
	conn := connect(t, d.AdminURL)
	_, err := conn.Exec(t.Context(), fmt.Sprintf(`SET ROLE %s`, role))
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `SELECT loadbay.current_organisation()`)
	require.ErrorContains(t, err, "permission denied for schema loadbay")
	for _, capture := range []string{"", "on"} { // an import of Loadbay's, or an application that uses the setting
		_, err = conn.Exec(t.Context(), fmt.Sprintf(`
			SET app.capture = '%s';
			INSERT INTO shop.products VALUES (1, 'a'); UPDATE shop.products SET name = 'b'; DELETE FROM shop.products`, capture))
		require.NoError(t, err)
		var captured string
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT coalesce(current_setting('app.captured', true), '')`).Scan(&captured))
		require.Empty(t, captured, "nothing outlives the transaction")
	}
}

// Names mean Loadbay's tables, even if others have the same names.
func TestTemporaryTableHidesNothing(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	d.Exec(t, `CREATE TABLE public.users (theirs text); GRANT ALL ON public.users TO PUBLIC`)
	for _, address := range []string{d.AppURL, d.OwnerURL, d.AdminURL} {
		conn := connect(t, address)
		var path string
		require.NoError(t, conn.QueryRow(t.Context(), `SHOW search_path`).Scan(&path))
		require.Equal(t, searchpath.Path, strings.ReplaceAll(strings.ReplaceAll(path, ", ", ","), ",", ", "))
		_, err := conn.Exec(t.Context(), `CREATE TEMPORARY TABLE users (mine text)`)
		require.NoError(t, err)
		_, err = conn.Exec(t.Context(), `SELECT email FROM users`)
		require.NoError(t, err)
	}
}

// A function's names do not depend on its caller's search path.
func TestFunctionsSetTheirSearchPath(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	require.Empty(t, postgrestest.Query[string](t, d, `
		SELECT coalesce(string_agg(oid::regprocedure::text, ', '), '')
		FROM pg_proc
		WHERE pronamespace = ANY ('{loadbay,sample}'::regnamespace[])
		  AND prosqlbody IS NULL -- otherwise names were resolved when the function was created
		  AND NOT EXISTS (SELECT FROM unnest(proconfig) AS setting WHERE setting LIKE 'search_path=%, pg_temp')`))
}
