package purge

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// minBatch is the fewest rows that a batch shrinks to.
const minBatch = 50

// batch is how many rows one statement deletes. It halves after a statement that
// ran out of time, and stays small for the rest of the run: what slows the
// database down is mostly there for longer.
type batch struct{ size int }

// run calls do until it does not run out of time, or the batch cannot be smaller.
func (b *batch) run(do func(limit int) error) error {
	for {
		err := do(b.size)
		if !timedOut(err) || b.size <= minBatch {
			return err
		}
		b.size = max(b.size/2, minBatch)
	}
}

// timedOut reports whether Postgres stopped a statement because it took too long:
// query_canceled.
// https://www.postgresql.org/docs/current/errcodes-appendix.html
func timedOut(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "57014"
}
