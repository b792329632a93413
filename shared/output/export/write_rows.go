package export

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
)

// fetchSize is the number of rows per fetch. Each fetch is a separate statement, so the
// statement timeout does not limit an export.
const fetchSize = 2000

// WriteRows writes the rows of a selection, as the transaction currently sees them, and
// returns their number. After every fetch it calls announce with the number so far; an error
// from announce ends it. The caller closes the writer.
func WriteRows(ctx context.Context, tx pgx.Tx, d *entity.Declaration, s entity.Selection, w Writer, announce func(rows int64) error) (int64, error) {
	sql, args := d.SelectQuery(s)
	if _, err := tx.Exec(ctx, "DECLARE export NO SCROLL CURSOR FOR "+sql, args...); err != nil {
		return 0, fmt.Errorf("read %s: %w", d.Resource, err)
	}
	fetch := fmt.Sprintf("FETCH %d FROM export", fetchSize)
	var rows int64
	for {
		n, err := copyRows(ctx, tx, fetch, w)
		rows += n
		if err != nil {
			return rows, fmt.Errorf("export %s: %w", d.Resource, err)
		}
		if n < fetchSize {
			return rows, nil
		}
		if err := announce(rows); err != nil {
			return rows, err
		}
	}
}

// copyRows writes the rows of a statement. It bypasses pgx.Tx.Query, which caches the result
// columns of a statement, while the result of a fetch depends on its cursor.
func copyRows(ctx context.Context, tx pgx.Tx, sql string, w Writer) (n int64, err error) {
	r := tx.Conn().PgConn().ExecParams(ctx, sql, nil, nil, nil, nil)
	for r.NextRow() {
		if err != nil {
			continue // the connection has to be read to the end
		}
		if err = w.Row(r.Values()); err == nil {
			n++
		}
	}
	if _, closed := r.Close(); closed != nil {
		return n, fmt.Errorf("fetch rows: %w", closed)
	}
	return n, err
}
