package schema_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/migrations"
)

// Types of the release before 0090 can be used and changed as before: each has the grants that it needs. The
// first organisation of several may no longer use all tables; others may, as an operator has allowed it.
func TestTypesBeforeGrantsHaveThem(t *testing.T) {
	t.Parallel()
	server := withRoles(t)
	_, err := server.EnsureMasterRole(t.Context(), "the_owner", "only-for-tests", "owned")
	require.NoError(t, err)
	owner, err := pgx.ParseConfig(server.URL("the_owner", "only-for-tests", "owned"))
	require.NoError(t, err)
	owner.RuntimeParams["search_path"] = "loadbay, sample, pg_temp"
	db := stdlib.OpenDB(*owner)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	_, err = db.ExecContext(t.Context(), `CREATE SCHEMA loadbay; CREATE SCHEMA sample`)
	require.NoError(t, err)
	released, err := goose.NewProvider(goose.DialectPostgres, db, migrations.ForLoadbay(), goose.WithTableName("loadbay."+goose.DefaultTablename))
	require.NoError(t, err)
	_, err = released.UpTo(t.Context(), 87)
	require.NoError(t, err)
	observer := observe(t, server, "owned")
	_, err = observer.Exec(t.Context(), `
		INSERT INTO organisations (id, name) VALUES (1, 'One'), (2, 'Two'), (3, 'Three');
		UPDATE organisations SET whole_tables = true WHERE id = 3;
		INSERT INTO import_types (organisation_id, name, version) VALUES (1, 'A', 2), (2, 'A', 1);
		INSERT INTO import_type_versions (organisation_id, name, version, declaration, adopted) VALUES
			(1, 'A', 1, '{"tenant": {"none": true}, "target": {"table": "app.before"}, "fields": []}', '{"Schema": "app", "Name": "before"}'),
			(1, 'A', 2, '{"tenant": {"none": true}, "target": {"table": "app.\"a.b\""}, "fields": [{"name": "X", "reference": {"table": "\"a.p\".c", "by": [["n"]]}}, {"name": "Y"}]}', '{"Schema": "app", "Name": "a.b"}'),
			(2, 'A', 1, '{"tenant": {"column": "org", "value": "organisation"}, "target": {"table": "app.t"}, "fields": [{"name": "X", "reference": {"table": "app.r", "by": [["n"]], "within": "company"}}]}', '{"Schema": "app", "Name": "t"}')`)
	require.NoError(t, err)
	_, err = released.UpTo(t.Context(), 90)
	require.NoError(t, err)
	rows, err := observer.Query(t.Context(), `SELECT concat_ws(' ', organisation_id, table_schema, table_name, reference_only, tenant) FROM table_grants ORDER BY 1`)
	require.NoError(t, err)
	grants, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Equal(t, []string{
		`1 a.p c t {"none": true}`, `1 app a.b f {"none": true}`,
		`2 app r t {"value": "organisation", "column": "company"}`, `2 app t f {"value": "organisation", "column": "org"}`,
	}, grants)
	rows, err = observer.Query(t.Context(), `SELECT whole_tables FROM organisations ORDER BY id`)
	require.NoError(t, err)
	whole, err := pgx.CollectRows(rows, pgx.RowTo[bool])
	require.NoError(t, err)
	require.Equal(t, []bool{false, false, true}, whole)
}
