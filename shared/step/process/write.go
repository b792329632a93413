package process

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/problem"
)

// writeRows writes a batch. If the database refuses it for what is in it, its
// halves are tried, until the row that is the reason stands alone as an ERROR
// and all others are written.
func (s *Step) writeRows(ctx context.Context, tx pgx.Tx, w *work, b *entity.Batch) error {
	err := entity.Savepoint(ctx, tx, func(tx pgx.Tx) error { return w.writer.Write(ctx, tx, b) })
	switch {
	case err == nil:
		w.take(b)
		return s.displace(ctx, tx, w, b.Displaced)
	case !dataFault(err) || ctx.Err() != nil:
		return err
	case b.Len() == 1:
		s.log.WarnContext(ctx, "row refused by the database", "chunk", w.chunk.Index, "row", b.Row(0), "sqlstate", sqlState(err))
		b.Results = []entity.Result{{Outcome: entity.Rejected, Faults: []entity.Fault{{
			Code: problem.RowRejected, Message: "The database refused this row (" + sqlState(err) + ").",
		}}}}
		w.take(b)
		return nil
	}
	half := b.Len() / 2
	if err := s.writeRows(ctx, tx, w, b.Range(0, half)); err != nil {
		return err
	}
	return s.writeRows(ctx, tx, w, b.Range(half, b.Len()))
}

// statementTimeout is Postgres's code for a statement that took too long: in
// smaller statements it may pass.
const statementTimeout = "57014"

// dataFault tells whether the rows are to blame: SQLSTATE classes 22 (data
// exception), 23 (integrity), 44 (WITH CHECK OPTION) and 54 (too large or complex),
// errors raised by triggers, and statements that took too long.
// https://www.postgresql.org/docs/current/errcodes-appendix.html
func dataFault(err error) bool {
	state := sqlState(err)
	if len(state) != 5 {
		return false
	}
	switch state[:2] {
	case "22", "23", "44", "54", "P0":
		return true
	}
	return state == statementTimeout
}

func sqlState(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}
