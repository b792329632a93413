package entity

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// Bisect writes a batch. If the database rejects its data, Bisect writes the halves of the
// batch, and so on, until the offending row is isolated and rejected, and all others are
// written. written is called for every part, in file order, after its results are set;
// refused is called for isolated rows. The batch itself is not modified by failed attempts.
func Bisect(ctx context.Context, tx pgx.Tx, b *Batch, write func(context.Context, pgx.Tx, *Batch) error,
	written func(*Batch) error, refused func(row int64, sqlState string)) error {
	if err := discardPlans(ctx, tx); err != nil {
		return err
	}
	return bisectRows(ctx, tx, b, write, written, refused)
}

// bisectRows is Bisect for the batch and then for its parts: plans are discarded only once.
func bisectRows(ctx context.Context, tx pgx.Tx, b *Batch, write func(context.Context, pgx.Tx, *Batch) error,
	written func(*Batch) error, refused func(row int64, sqlState string)) error {
	part := *b
	err := Savepoint(ctx, tx, func(tx pgx.Tx) error { return write(ctx, tx, &part) })
	switch {
	case err == nil:
		if err := checkOutcomes(&part); err != nil {
			return err
		}
		return written(&part)
	case !IsDataError(err) || ctx.Err() != nil:
		return err
	case b.Len() == 1:
		refused(b.Row(0), SQLState(err))
		alone := *b
		alone.Results = []Result{{Outcome: rowwrite.Errored, Errors: []rowwrite.Error{{
			Code: problem.RowRejected, Message: "The database rejected this row (" + SQLState(err) + ").",
		}}}}
		return written(&alone)
	}
	half := b.Len() / 2
	if err := bisectRows(ctx, tx, b.Range(0, half), write, written, refused); err != nil {
		return err
	}
	return bisectRows(ctx, tx, b.Range(half, b.Len()), write, written, refused)
}

// checkOutcomes returns an error if the type has left a row without an outcome, which would be stored
// as none of them.
func checkOutcomes(b *Batch) error {
	for i := range b.Results {
		if b.Results[i].Outcome == 0 {
			return fmt.Errorf("the type left row %d without an outcome", b.Row(i))
		}
	}
	return nil
}

// statementTimeout is Postgres's code for a statement that took too long: smaller
// statements may succeed.
const statementTimeout = "57014"

// IsDataError reports whether the rows are the cause: SQLSTATE classes 22 (data
// exception), 23 (integrity), 44 (WITH CHECK OPTION) and 54 (too large or complex),
// errors raised by triggers, and statements that took too long.
// https://www.postgresql.org/docs/current/errcodes-appendix.html
func IsDataError(err error) bool {
	state := SQLState(err)
	if len(state) != 5 {
		return false
	}
	switch state[:2] {
	case "22", "23", "44", "54", "P0":
		return true
	}
	return state == statementTimeout || isOwnState(state)
}

// isOwnState reports whether a code is one that triggers of a table's owner can raise: the SQL standard
// leaves classes that begin with I to Z to them, of which Postgres uses P0 and XX.
func isOwnState(state string) bool { return state[0] >= 'I' && state[0] <= 'Z' && state[:2] != "XX" }

// SQLState returns the code of an error of the database, or "".
func SQLState(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}
