package entity

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Savepoint runs f in a nested transaction.
func Savepoint(ctx context.Context, tx pgx.Tx, f func(pgx.Tx) error) error {
	nested, err := tx.Begin(ctx)
	if err != nil {
		return fmt.Errorf("savepoint: %w", err)
	}
	if err := f(nested); err != nil {
		// The connection may be lost as well; the error of f gives the cause.
		return errors.Join(err, ignoreTxClosed(nested.Rollback(ctx)))
	}
	if err := nested.Commit(ctx); err != nil {
		return fmt.Errorf("release savepoint: %w", err)
	}
	return nil
}

func ignoreTxClosed(err error) error {
	if errors.Is(err, pgx.ErrTxClosed) {
		return nil
	}
	return err
}
