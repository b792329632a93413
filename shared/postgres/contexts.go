package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Context is what the rows of an import belong to: a period, an event.
type Context struct {
	ID       int64
	Name     string
	StartsOn string // as 2026-01-31; "" for none
}

// Contexts lists the organisation's contexts of a table whose names have some text in
// them, whatever its case, the newest first, and how many there are. The table's name
// comes from a type's declaration, never from a request.
func (*DB) Contexts(ctx context.Context, tx pgx.Tx, table, text string, offset, limit int64) (found []Context, total int64, err error) {
	from := ` FROM ` + pgx.Identifier{table}.Sanitize() + ` WHERE strpos(lower(name), lower($1)) > 0`
	if err := tx.QueryRow(ctx, `SELECT count(*)`+from, text).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count %s: %w", table, err)
	}
	rows, err := tx.Query(ctx, `SELECT id, name, coalesce(to_char(starts_on, 'YYYY-MM-DD'), '')`+from+`
		ORDER BY starts_on DESC NULLS LAST, id DESC
		OFFSET $2 LIMIT $3`, text, offset, limit)
	if err != nil {
		return nil, 0, fmt.Errorf("list %s: %w", table, err)
	}
	if found, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Context]); err != nil {
		return nil, 0, fmt.Errorf("list %s: %w", table, err)
	}
	return found, total, nil
}

// OrganisationName is what the organisation is called; "" where there is none of that id.
func (*DB) OrganisationName(ctx context.Context, tx pgx.Tx, id tenant.ID) (name string, err error) {
	err = tx.QueryRow(ctx, `SELECT coalesce((SELECT name FROM organisations WHERE id = $1), '')`, id).Scan(&name)
	if err != nil {
		return "", fmt.Errorf("name of organisation %d: %w", id, err)
	}
	return name, nil
}
