package entity

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// CurrentType is a type with a table that others can change.
type CurrentType interface {
	// Current locks the table against changes of its columns until the transaction ends, and returns
	// the type for the table as it is, with warnings about its changes. The error is TABLE_CHANGED if
	// the type cannot be used for the table. The same table gives the same Type.
	Current(ctx context.Context, tx pgx.Tx) (Type, []string, error)
}

// enterer is a type whose table requires settings of the transaction.
type enterer interface {
	// Enter makes the settings, which Current makes as well.
	Enter(ctx context.Context, tx pgx.Tx) error
}

// Enter prepares a transaction for statements about a type's table that do not compare it.
func Enter(ctx context.Context, tx pgx.Tx, t Type) error {
	if own, ok := t.(enterer); ok {
		return own.Enter(ctx, tx)
	}
	return nil
}

// errTableChanging reports that a table has changed while it was written. Nothing may be committed,
// and a repetition sees the change.
var errTableChanging = errors.New("the table was changed while it was written")

// WithCurrent runs f, which may write, with the type for its table as it is now. Triggers and indexes
// that were added before f has locked the table by writing make it fail.
func WithCurrent(ctx context.Context, tx pgx.Tx, t Type, f func(current Type, warnings []string) error) error {
	own, ok := t.(CurrentType)
	if !ok {
		return f(t, nil)
	}
	current, warnings, err := own.Current(ctx, tx)
	if err != nil {
		return err
	}
	if err := f(current, warnings); err != nil {
		return err
	}
	if now, _, err := own.Current(ctx, tx); err != nil || now != current {
		return errors.Join(errTableChanging, err)
	}
	return nil
}
