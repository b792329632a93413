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
		// The connection may be gone with it; f's error is the one that says why.
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
