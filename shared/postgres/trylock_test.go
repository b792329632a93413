package postgres_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// While one caller holds the lock, no other gets it, except for another name. Afterwards, also
// after an error, the next caller gets it.
func TestWithTryLockIsExclusive(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	never := func(context.Context) error { t.Error("two callers held the lock at the same time"); return nil }
	fault := errors.New("fault")
	for range 2 {
		ran := false
		alone, err := d.Maintenance.WithTryLock(t.Context(), "reconcile", func(ctx context.Context) error {
			ran = true
			other, err := d.DB.WithTryLock(ctx, "reconcile", never)
			require.NoError(t, err)
			require.False(t, other)
			other, err = d.DB.WithTryLock(ctx, "purge", func(context.Context) error { return nil })
			require.NoError(t, err)
			require.True(t, other)
			return fault
		})
		require.ErrorIs(t, err, fault)
		require.True(t, alone)
		require.True(t, ran)
	}
}

// A cancelled context releases the lock.
func TestLockEndsWithHolder(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	ctx, over := context.WithCancel(t.Context())
	_, err := d.DB.WithTryLock(ctx, "reconcile", func(ctx context.Context) error { over(); return ctx.Err() })
	require.ErrorIs(t, err, context.Canceled)
	alone, err := d.Maintenance.WithTryLock(t.Context(), "reconcile", func(context.Context) error { return nil })
	require.NoError(t, err)
	require.True(t, alone)
}
