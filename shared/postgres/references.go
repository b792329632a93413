package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Exists reports whether a table contains a row of the organisation with that id. The table's
// name must come from a type's declaration, never from a request.
func (db *DB) Exists(ctx context.Context, tx pgx.Tx, table string, id int64) (bool, error) {
	var exists bool
	sql := `SELECT EXISTS (SELECT FROM ` + pgx.Identifier{table}.Sanitize() + ` WHERE id = $1)`
	if err := tx.QueryRow(ctx, sql, id).Scan(&exists); err != nil {
		return false, fmt.Errorf("look up %s %d: %w", table, id, err)
	}
	return exists, nil
}
