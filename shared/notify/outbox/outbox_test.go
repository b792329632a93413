package outbox_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/notify/outbox"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// fixture is a database and a bus that accepts events as accept decides.
type fixture struct {
	*postgrestest.Database
	announcer, maintenance *outbox.Publisher
	accept                 func([]job.Event) ([]job.EventID, error)
	published              []job.Event
	log                    bytes.Buffer
}

func setup(t *testing.T) *fixture {
	t.Helper()
	w := &fixture{Database: postgrestest.Setup(t), accept: acceptAll}
	log := telemetry.NewLogger(&w.log, slog.LevelInfo)
	moves := telemetry.NewTransitions(log, telemetry.NewMetrics(io.Discard))
	w.announcer, w.maintenance = outbox.New(w.DB, w, moves, log), outbox.New(w.Maintenance, w, moves, log)
	return w
}

func (w *fixture) Publish(_ context.Context, events []job.Event) ([]job.EventID, error) {
	w.published = append(w.published, events...)
	return w.accept(events)
}

func acceptAll(events []job.Event) (ids []job.EventID, err error) {
	for _, e := range events {
		ids = append(ids, e.EventID)
	}
	return ids, nil
}

func acceptNone([]job.Event) ([]job.EventID, error) { return nil, errors.New("the bus is away") }

// transition changes the status as the steps do: Record follows the commit, unless the
// process dies between them.
func (w *fixture) transition(t *testing.T, j *job.Job, to job.Status, dies bool) {
	t.Helper()
	var from job.Status
	require.NoError(t, w.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) (err error) {
		from, _, err = w.DB.Transition(t.Context(), tx, j.Key, job.Transition{To: to})
		return err
	}))
	if !dies {
		w.announcer.Record(t.Context(), j, from, to)
	}
}

func (w *fixture) statuses() (statuses []job.Status) {
	for _, e := range w.published {
		statuses = append(statuses, e.Status)
	}
	return statuses
}

// ageEvents makes events old enough for reconcile.
func (w *fixture) ageEvents(t *testing.T) {
	t.Helper()
	w.Exec(t, `UPDATE job_events SET occurred_at = occurred_at - interval '1 minute'`)
}

func TestEventIsPublishedOnceImmediately(t *testing.T) {
	t.Parallel()
	w := setup(t)
	j := w.AddJob(t, "status = 'UPLOADED'")
	w.transition(t, j, job.ColumnMapping, false)
	w.transition(t, j, job.Processing, false)
	w.transition(t, j, job.Completed, false)
	require.Equal(t, []job.Status{job.ColumnMapping, job.Completed}, w.statuses())
	w.ageEvents(t)
	require.NoError(t, w.maintenance.PublishOverdue(t.Context()))
	w.announcer.PublishJob(t.Context(), job.Ref{JobID: j.ID, OrganisationID: 1})
	require.Len(t, w.published, 2)
	require.Contains(t, w.log.String(), `"msg":"status changed"`)
}

func TestReconcilePublishesAfterCrash(t *testing.T) {
	t.Parallel()
	w := setup(t)
	first, second := w.AddJob(t, "status = 'PROCESSING'"), w.AddJob(t, "status = 'PROCESSING'")
	w.transition(t, first, job.CellMapping, true)
	w.transition(t, second, job.Failed, true)
	w.transition(t, first, job.Cancelled, true)
	require.NoError(t, w.maintenance.PublishOverdue(t.Context()))
	require.Empty(t, w.published, "recent events may still be in transit")
	w.ageEvents(t)
	require.NoError(t, w.maintenance.PublishOverdue(t.Context()))
	require.Equal(t, []job.Status{job.CellMapping, job.Failed, job.Cancelled}, w.statuses())
	require.NoError(t, w.maintenance.PublishOverdue(t.Context()))
	require.Len(t, w.published, 3)
}

// The next event of a job is published together with those that the bus rejected before; the
// id stays the same.
func TestRejectedEventIsRepublished(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.accept = acceptNone
	j := w.AddJob(t, "status = 'PROCESSING'")
	w.transition(t, j, job.CellMapping, false)
	require.Contains(t, w.log.String(), "publish events; reconcile will retry")
	w.accept = func(events []job.Event) ([]job.EventID, error) { // accepts only the second
		return []job.EventID{events[1].EventID}, errors.New("throttled")
	}
	w.transition(t, j, job.Cancelled, false)
	w.accept = acceptAll
	w.ageEvents(t)
	require.NoError(t, w.maintenance.PublishOverdue(t.Context()))
	require.Equal(t, []job.Status{job.CellMapping, job.CellMapping, job.Cancelled, job.CellMapping}, w.statuses())
	require.Equal(t, w.published[0].EventID, w.published[3].EventID)
	w.accept = acceptNone
	other := w.AddJob(t, "status = 'PROCESSING'")
	w.transition(t, other, job.Completed, true)
	w.ageEvents(t)
	require.ErrorContains(t, w.maintenance.PublishOverdue(t.Context()), "the bus is away")
}

// The transition counts even if the caller has disconnected.
func TestEventIsPublishedAfterCallerCancels(t *testing.T) {
	t.Parallel()
	w := setup(t)
	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	for _, announcer := range []*outbox.Publisher{w.announcer, w.maintenance} { // reconcile and purge also end jobs
		j := w.AddJob(t, "status = 'PROCESSING'")
		w.transition(t, j, job.Cancelled, true)
		announcer.Record(gone, j, job.Processing, job.Cancelled)
	}
	require.Equal(t, []job.Status{job.Cancelled, job.Cancelled}, w.statuses())
}
