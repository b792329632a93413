package purge

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// minBatch is the minimum batch size in rows.
const minBatch = 50

// batch is the number of rows that one statement deletes. It is halved after a statement timed
// out, and stays small for the rest of the run, since a slow database usually stays slow for a
// while.
type batch struct{ size int }

// run calls do until it succeeds without a timeout or the batch cannot shrink further.
func (b *batch) run(do func(limit int) error) error {
	for {
		err := do(b.size)
		if !timedOut(err) || b.size <= minBatch {
			return err
		}
		b.size = max(b.size/2, minBatch)
	}
}

// timedOut reports whether Postgres cancelled a statement that took too long: query_canceled.
// https://www.postgresql.org/docs/current/errcodes-appendix.html
func timedOut(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "57014"
}
