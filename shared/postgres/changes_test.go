package postgres_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// capturedTables returns the tables with captured changes, by operation.
func capturedTables(t *testing.T, admin *pgx.Conn) map[string][]string {
	t.Helper()
	rows, err := admin.Query(t.Context(), `
		SELECT event_object_table, array_agg(event_manipulation::text ORDER BY event_manipulation)
		FROM information_schema.triggers
		WHERE action_statement LIKE '%capture_changes()'
		GROUP BY 1`)
	require.NoError(t, err)
	captured := make(map[string][]string)
	var table string
	var operations []string
	_, err = pgx.ForEachRow(rows, []any{&table, &operations}, func() error {
		captured[table] = operations
		return nil
	})
	require.NoError(t, err)
	return captured
}

// A table added by a later migration is tested without a change here.
func TestEntityTablesAreCaptured(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	admin := connect(t, d.AdminURL)
	captured := capturedTables(t, admin)
	rows, err := admin.Query(t.Context(), `
		SELECT attrelid::regclass::text
		FROM pg_attribute
		JOIN pg_class ON pg_class.oid = attrelid AND relkind = 'r' AND relnamespace = ANY ('{loadbay,sample}'::regnamespace[])
		WHERE attname = 'source_job'`)
	require.NoError(t, err)
	entities, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Greater(t, len(entities), 5)
	for _, table := range append(entities, "custom_lists", "custom_list_values", "membership_types", "event_categories") {
		require.Equal(t, []string{"DELETE", "INSERT", "UPDATE"}, captured[table], table)
	}
}

// The capture handles columns of all types: they can be compared, written and hashed.
func TestCaptureSupportsAllColumnTypes(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	admin := connect(t, d.AdminURL)
	for table := range capturedTables(t, admin) {
		require.NoError(t, d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
			if err := d.DB.BeginCapture(t.Context(), tx); err != nil {
				return err
			}
			for _, sql := range []string{
				`DELETE FROM %[1]s WHERE false`,
				`UPDATE %[1]s SET organisation_id = organisation_id WHERE false`,
				`SELECT hash_record_extended(e, 0), e::text FROM (SELECT (null::%[1]s).*) AS e`,
			} {
				if _, err := tx.Exec(t.Context(), fmt.Sprintf(sql, table)); err != nil {
					return fmt.Errorf("%s: %w", table, err)
				}
			}
			changes, err := d.DB.EndCapture(t.Context(), tx)
			require.Empty(t, changes)
			return err
		}), table)
	}
}

func TestCaptureIsLimitedToItsSpan(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	value := "a,b (\"c\")\n\\ 'd' \t\x1f é"
	var changes []changeset.Change
	require.NoError(t, d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) (err error) {
		ctx := t.Context()
		insertUser(ctx, t, tx, "before@example.com", "x")
		require.NoError(t, d.DB.BeginCapture(ctx, tx))
		nested, err := tx.Begin(ctx)
		require.NoError(t, err)
		insertUser(ctx, t, nested, "lost@example.com", "x")
		require.NoError(t, nested.Rollback(ctx))
		_, err = tx.Exec(ctx, `UPDATE users SET name = $1 WHERE email = 'before@example.com'`, value)
		require.NoError(t, err)
		_, err = tx.Exec(ctx, `UPDATE users SET name = name, source_row = 7 WHERE email = 'before@example.com'`)
		require.NoError(t, err)
		changes, err = d.DB.EndCapture(ctx, tx)
		require.NoError(t, err)
		insertUser(ctx, t, tx, "after@example.com", "x")
		return err
	}))
	require.Len(t, changes, 1)
	require.Equal(t, []string{"name"}, changes[0].Columns)
	require.Equal(t, "x", *changes[0].Before[0])
	require.Equal(t, value, *changes[0].After[0])
}

// insertUser inserts a user.
func insertUser(ctx context.Context, t *testing.T, tx pgx.Tx, email, name string) {
	t.Helper()
	_, err := tx.Exec(ctx, `INSERT INTO users (organisation_id, email, name) VALUES (1, $1, $2)`, email, name)
	require.NoError(t, err)
}
