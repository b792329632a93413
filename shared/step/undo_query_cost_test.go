package step_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/entitytable"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// If a part of an undo read all entities of its organisation, an undo of n changes would read n²
// of them. The test counts the rows that the statements read.
func TestUndoPartReadsOnlyItsEntities(t *testing.T) {
	t.Parallel()
	withManyUsers(t, func(t *testing.T, e *engine, tx pgx.Tx, ids []string) {
		users, err := e.DB.EntityTable(t.Context(), tx, "users")
		require.NoError(t, err)
		found, err := e.DB.LockEntities(t.Context(), tx, users, ids, []string{"name"}, nil)
		require.NoError(t, err)
		require.Len(t, found, someUsers)
		rows := make([]entitytable.Row, someUsers)
		for i, id := range ids {
			rows[i] = entitytable.Row{ID: id, Row: int64(i), Values: []*string{new("V")}}
		}
		require.NoError(t, e.DB.UpdateEntities(t.Context(), tx, users, 1, []string{"name"}, rows))
		referred, err := e.DB.Referenced(t.Context(), tx, users, ids)
		require.NoError(t, err)
		require.Empty(t, referred)
		require.Equal(t, someUsers, count(t, tx, `SELECT count(*) FROM users WHERE name = 'V'`))
		before := usersRead(t, tx)
		require.NoError(t, e.DB.DeleteEntities(t.Context(), tx, users, ids))
		require.Less(t, usersRead(t, tx)-before, 10*someUsers)
		require.Less(t, before-manyUsers, 10*someUsers, "apart from counting all users, only the deleted ones are read")
		require.Equal(t, manyUsers-someUsers, count(t, tx, `SELECT count(*) FROM users`))
	})
}

const manyUsers, someUsers = 20_000, 100

// withManyUsers runs f in a transaction with the ids of some of many users, once with table
// statistics and once without. Their addresses are n@x.org, and their name is U.
func withManyUsers(t *testing.T, f func(t *testing.T, e *engine, tx pgx.Tx, ids []string)) {
	t.Helper()
	for name, statistics := range map[string]string{"never analysed": `SELECT`, "analysed": `ANALYZE users`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setup(t, 100)
			e.Exec(t, `INSERT INTO users (organisation_id, email, name) SELECT 1, n || '@x.org', 'U' FROM generate_series(1, $1) AS n`, manyUsers)
			e.Exec(t, statistics)
			ids := postgrestest.Query[[]string](t, e.Database, `SELECT array_agg(id::text) FROM (SELECT id FROM users ORDER BY email LIMIT $1) AS u`, someUsers)
			require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
				f(t, e, tx, ids)
				return nil
			}))
		})
	}
}

func usersRead(t *testing.T, tx pgx.Tx) int {
	t.Helper()
	return count(t, tx, `SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables WHERE relname = 'users'`)
}

func count(t *testing.T, tx pgx.Tx, sql string) (n int) {
	t.Helper()
	require.NoError(t, tx.QueryRow(t.Context(), sql).Scan(&n))
	return n
}
