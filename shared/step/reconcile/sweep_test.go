package reconcile_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/step/reconcile"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// fakeItem is the item; it records its calls.
type fakeItem struct {
	raises  int64
	settled []settleCall
}

type settleCall struct {
	raises int64
	next   time.Time
}

func (s *fakeItem) RaiseCount(context.Context) (int64, error) { return s.raises, nil }

func (s *fakeItem) RecordCheck(_ context.Context, raises int64, _, next time.Time) error {
	s.settled = append(s.settled, settleCall{raises, next})
	return nil
}

func TestSweepSettlesEarlierRaises(t *testing.T) {
	t.Parallel()
	d, item := postgrestest.Setup(t), &fakeItem{raises: 7}
	var broken error
	round := reconcile.NewSweep(d.Maintenance, item, func(context.Context) error {
		item.raises++ // by a concurrent commit
		return broken
	})
	require.NoError(t, round.Run(t.Context()))
	require.Equal(t, []settleCall{{raises: 7}}, item.settled)
	broken = errors.New("away")
	require.ErrorIs(t, round.Run(t.Context()), broken)
	require.Len(t, item.settled, 1, "items stay due after an error")
}

func TestNextDue(t *testing.T) {
	t.Parallel()
	d := setupRequeue(t)
	next := func() time.Duration {
		var next, now time.Time
		require.NoError(t, d.Maintenance.AcrossOrganisations(t.Context(), func(tx pgx.Tx) (err error) {
			if next, err = d.Maintenance.NextDue(t.Context(), tx); err != nil {
				return err
			}
			return tx.QueryRow(t.Context(), `SELECT now()`).Scan(&now)
		}))
		if next.IsZero() {
			return -1
		}
		return next.Sub(now)
	}
	require.Equal(t, time.Duration(-1), next(), "nothing")
	d.AddJob(t, "status = 'COMPLETED', completed_at = now()")
	require.Equal(t, time.Duration(-1), next(), "no open work")

	d.AddJob(t, "status = 'COLUMN_MAPPING', updated_at = now() - interval '3 hours'")
	require.InDelta(t, 3*time.Hour, next(), float64(time.Minute), "jobs that wait for a person are checked rarely")
	d.AddJob(t, "status = 'CELL_MAPPING', updated_at = now() - interval '3 seconds'")
	require.InDelta(t, time.Minute, next(), float64(time.Second))
	d.AddJob(t, "status = 'PROCESSING', updated_at = now() - interval '3 hours'")
	require.LessOrEqual(t, next(), time.Duration(0), "jobs in progress are checked")
	d.Exec(t, `DELETE FROM import_jobs`)
	require.Equal(t, time.Duration(-1), next())

	d.AddJob(t, "status = 'CANCELLED', completed_at = now()")
	require.LessOrEqual(t, next(), time.Duration(0), "the execution of a cancelled job must be stopped")
	d.Exec(t, `DELETE FROM import_jobs`)

	d.addExport(t, 1, "")
	require.InDelta(t, 5*time.Minute, next(), float64(time.Second))
	d.Exec(t, `UPDATE export_jobs SET status = 'processing'`)
	require.InDelta(t, 20*time.Minute, next(), float64(time.Second))
	d.addExport(t, 1, "requeues = 1")
	require.InDelta(t, 10*time.Minute, next(), float64(time.Second))
	d.addFetch(t, "updated_at = now() - interval '1 hour', uploaded_at = NULL", "touched_at = now() - interval '2 minutes'")
	require.InDelta(t, 6*time.Minute, next(), float64(time.Second))
	d.addErasure(t, 1, 11, "touched_at = now() - interval '2 minutes'")
	require.InDelta(t, 3*time.Minute, next(), float64(time.Second))
}
