package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Context is the context of an import's rows: a period, an event.
type Context struct {
	ID       int64
	Name     string
	StartsOn string // as 2026-01-31; "" for none
}

// Contexts lists the organisation's contexts of a table that have a text in their names,
// ignoring case, the newest first, and their total number. The table's name must come from a
// type's declaration, never from a request.
func (*DB) Contexts(ctx context.Context, tx pgx.Tx, table, text string, p job.Page) (found []Context, total int64, err error) {
	c := &conditions{}
	c.add(`strpos(lower(name), lower($%d)) > 0`, text)
	from := ` FROM ` + pgx.Identifier{table}.Sanitize() + ` `
	if err := tx.QueryRow(ctx, `SELECT count(*)`+from+c.where(), c.args...).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count %s: %w", table, err)
	}
	order := listOrder{dateKey(`coalesce(starts_on, '-infinity')`).desc(), intKey("id").desc()}
	if err := c.addAfter(order, p.After); err != nil {
		return nil, 0, err
	}
	rows, err := tx.Query(ctx, `SELECT id, name, coalesce(to_char(starts_on, 'YYYY-MM-DD'), '')`+from+c.where()+order.clause()+c.page(p), c.args...)
	if err != nil {
		return nil, 0, fmt.Errorf("list %s: %w", table, err)
	}
	if found, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Context]); err != nil {
		return nil, 0, fmt.Errorf("list %s: %w", table, err)
	}
	return found, total, nil
}

// ContextCursor returns the keys of a context in the list.
func ContextCursor(c *Context) []string { return []string{c.StartsOn, intCursor(c.ID)} }

// OrganisationName returns the name of the organisation; "" if it does not exist.
func (*DB) OrganisationName(ctx context.Context, tx pgx.Tx, id tenant.ID) (name string, err error) {
	err = tx.QueryRow(ctx, `SELECT coalesce((SELECT name FROM organisations WHERE id = $1), '')`, id).Scan(&name)
	if err != nil {
		return "", fmt.Errorf("load name of organisation %d: %w", id, err)
	}
	return name, nil
}
