package schema_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/migrations"
	"github.com/loadbay/loadbay/shared/postgres/schema"
	"github.com/loadbay/loadbay/shared/testing/pglaunch"
)

// A database of an earlier release may contain rows that violate a later rule, and its owner
// does not see them, because row level security applies to the owner.
func TestMigrateMakesNamesUnique(t *testing.T) {
	t.Parallel()
	server, err := pglaunch.StartTemporary(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop(context.Background())) })
	_, err = server.EnsureMasterRole(t.Context(), "the_owner", "only-for-tests", "owned")
	require.NoError(t, err)
	observer := observe(t, server, "owned")
	_, err = observer.Exec(t.Context(), `CREATE ROLE loadbay_app; CREATE ROLE loadbay_maintenance`)
	require.NoError(t, err)
	owner, err := pgx.ParseConfig(server.URL("the_owner", "only-for-tests", "owned"))
	require.NoError(t, err)
	earlier, err := goose.NewProvider(goose.DialectPostgres, stdlib.OpenDB(*owner), migrations.Files)
	require.NoError(t, err)
	_, err = earlier.UpTo(t.Context(), 19)
	require.NoError(t, err)
	_, err = observer.Exec(t.Context(), `
		INSERT INTO organisations (id, name) VALUES (1, 'Load'), (2, 'load'), (3, 'Other');
		INSERT INTO events (organisation_id, name) VALUES (1, 'Race'), (1, 'Race'), (2, 'Race')`)
	require.NoError(t, err)

	_, err = server.EnsureMasterRole(t.Context(), "the_owner", "only-for-tests", "owned")
	require.NoError(t, err)
	_, err = schema.Migrate(t.Context(), owner, schema.Roles(schema.Passwords{}))
	require.NoError(t, err)
	var organisations, events []string
	require.NoError(t, observer.QueryRow(t.Context(), `
		SELECT (SELECT array_agg(name ORDER BY id) FROM organisations), (SELECT array_agg(name ORDER BY id) FROM events)`).Scan(&organisations, &events))
	require.Equal(t, []string{"Load", "load 2", "Other"}, organisations)
	require.Equal(t, []string{"Race", "Race 2", "Race"}, events)
}
