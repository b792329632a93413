package postgres_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// transition changes the status of a job, which must succeed.
func transition(t *testing.T, d *postgrestest.Database, db *postgres.DB, j *job.Job, change job.Transition) {
	t.Helper()
	require.NoError(t, db.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		_, ok, err := d.DB.Transition(t.Context(), tx, j.Key, change)
		require.True(t, ok)
		return err
	}))
}

func unsentEvents(t *testing.T, d *postgrestest.Database, j *job.Job) (events []job.Event) {
	t.Helper()
	require.NoError(t, d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) (err error) {
		events, err = d.DB.UnsentEvents(t.Context(), tx, j.ID)
		return err
	}))
	return events
}

// sentEvent is the part of an event that the tests compare.
type sentEvent struct {
	Sequence int
	Status   job.Status
}

func withShortTimeout(events []job.Event) []sentEvent {
	var all []sentEvent
	for _, e := range events {
		all = append(all, sentEvent{e.Sequence, e.Status})
	}
	return all
}

func TestRestingJobHasOneEvent(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	pass := func(to job.Status) job.Transition { return job.Transition{To: to, Provisional: true} }
	rest := func(to job.Status) job.Transition { return job.Transition{To: to} }
	for name, c := range map[string]struct {
		from string
		way  []job.Transition
		want []sentEvent
	}{
		"column questions":         {"UPLOADED", []job.Transition{rest(job.ColumnMapping)}, []sentEvent{{1, job.ColumnMapping}}},
		"no questions":             {"UPLOADED", []job.Transition{pass(job.ColumnMapping), pass(job.CellMapping), rest(job.Processing), rest(job.Completed)}, []sentEvent{{1, job.Completed}}},
		"repeated value questions": {"PROCESSING", []job.Transition{rest(job.CellMapping), rest(job.Processing), rest(job.CellMapping), rest(job.Cancelled)}, []sentEvent{{1, job.CellMapping}, {2, job.CellMapping}, {3, job.Cancelled}}},
		"whole file":               {"UPLOADED", []job.Transition{rest(job.Processing), rest(job.Failed)}, []sentEvent{{1, job.Failed}}},
		"no event after the end":   {"PROCESSING", []job.Transition{rest(job.Completed)}, []sentEvent{{1, job.Completed}}},
	} {
		j := d.AddJob(t, "status = '"+c.from+"'")
		for _, change := range c.way {
			transition(t, d, d.DB, j, change)
		}
		require.Equal(t, c.want, withShortTimeout(unsentEvents(t, d, j)), name)
	}
}

func TestEventHasCountsOfItsTransition(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	j := d.AddJob(t, `status = 'PROCESSING', dry_run = true, started_at = now() - interval '1 minute', total_rows = 31,
		created_count = 1, updated_count = 2, skipped_count = 3, error_count = 4, deferred_count = 5`)
	transition(t, d, d.DB, j, job.Transition{To: job.CellMapping})
	transition(t, d, d.DB, j, job.Transition{To: job.Processing})
	d.Exec(t, `UPDATE import_jobs SET created_count = 7, deferred_count = 0,
		warnings = ARRAY['COLUMN_UNUSED: column "Shoe" with 2 values is not used', 'COLUMN_UNUSED: column "Hat" with 1 value is not used', 'FOOTER_LIKELY']`)
	transition(t, d, d.Maintenance, j, job.Transition{To: job.Failed, Failure: &job.Failure{Code: "STUCK", Message: "secret"}})
	events := unsentEvents(t, d, j)
	require.Len(t, events, 2)
	after := d.ReadJob(t, j.ID)
	waits, ends := events[0], events[1]
	require.NotEqual(t, waits.EventID, ends.EventID)
	require.Equal(t, job.Event{
		EventID: waits.EventID, Sequence: 1, JobID: j.ID, OrganisationID: 1, ImportType: "USER", Status: job.CellMapping, DryRun: true,
		Counts:     job.EventCounts{Total: 31, Created: 1, Updated: 2, Skipped: 3, Errors: 4, Deferred: 5, Unprocessed: 16},
		OccurredAt: waits.OccurredAt, CreatedAt: after.CreatedAt, StartedAt: after.StartedAt,
	}, waits)
	require.Equal(t, job.Event{
		EventID: ends.EventID, Sequence: 2, JobID: j.ID, OrganisationID: 1, ImportType: "USER", Status: job.Failed, DryRun: true, FailureCode: "STUCK",
		Counts: job.EventCounts{Total: 31, Created: 7, Updated: 2, Skipped: 3, Errors: 4, Unprocessed: 15}, Warnings: map[string]int{"COLUMN_UNUSED": 2, "FOOTER_LIKELY": 1},
		UnusedColumns: []job.UnusedColumn{{Name: "Shoe", Values: 2}, {Name: "Hat", Values: 1}},
		OccurredAt:    ends.OccurredAt, CreatedAt: after.CreatedAt, StartedAt: after.StartedAt, CompletedAt: after.CompletedAt,
	}, ends)
	require.Equal(t, ends.OccurredAt, *after.CompletedAt, "event and job have the same time")
}

// Transitions that are rolled back or rejected have no event.
func TestEventIsAtomicWithTransition(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	j := d.AddJob(t, "status = 'PROCESSING'")
	gone := errors.New("the process dies before its commit")
	require.ErrorIs(t, d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		_, ok, err := d.DB.Transition(t.Context(), tx, j.Key, job.Transition{To: job.Completed})
		require.NoError(t, err)
		require.True(t, ok)
		return gone
	}), gone)
	require.Empty(t, unsentEvents(t, d, j))
	transition(t, d, d.DB, j, job.Transition{To: job.Cancelled})
	require.NoError(t, d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		_, ok, err := d.DB.Transition(t.Context(), tx, j.Key, job.Transition{To: job.Completed})
		require.False(t, ok)
		return err
	}))
	require.Equal(t, []sentEvent{{1, job.Cancelled}}, withShortTimeout(unsentEvents(t, d, j)))
}

// A cancellation waits for a chunk that is just deferring rows: its event is the second,
// although its statement began before the first existed.
func TestConcurrentEventsAreNumberedInOrder(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	j := d.AddJob(t, "status = 'PROCESSING'")
	var cancelling sync.WaitGroup
	require.NoError(t, d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		_, _, err := d.DB.Transition(t.Context(), tx, j.Key, job.Transition{To: job.CellMapping})
		require.NoError(t, err)
		cancelling.Go(func() {
			err := d.Maintenance.AcrossOrganisations(context.WithoutCancel(t.Context()), func(tx pgx.Tx) error {
				_, _, err := d.DB.Transition(context.WithoutCancel(t.Context()), tx, j.Key, job.Transition{To: job.Cancelled})
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
		require.Eventually(t, func() bool {
			return postgrestest.Query[bool](t, d, `
				SELECT EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'loadbay_maintenance' AND wait_event_type = 'Lock' AND datname = current_database())`)
		}, 2*time.Minute, 5*time.Millisecond)
		return nil
	}))
	cancelling.Wait()
	require.Equal(t, []sentEvent{{1, job.CellMapping}, {2, job.Cancelled}}, withShortTimeout(unsentEvents(t, d, j)))
}

func TestProvisionalWaitHasOneEvent(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	j := d.AddJob(t, "status = 'UPLOADED'")
	announce := func() {
		require.NoError(t, d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error { return d.DB.AddWaitingEvent(t.Context(), tx, j.Key) }))
	}
	announce()
	require.Empty(t, unsentEvents(t, d, j), "a job that does not wait has no event")
	transition(t, d, d.DB, j, job.Transition{To: job.ColumnMapping, Provisional: true})
	transition(t, d, d.DB, j, job.Transition{To: job.CellMapping, Provisional: true})
	announce()
	announce()
	require.Equal(t, []sentEvent{{1, job.CellMapping}}, withShortTimeout(unsentEvents(t, d, j)))
	transition(t, d, d.DB, j, job.Transition{To: job.Processing})
	announce()
	transition(t, d, d.DB, j, job.Transition{To: job.CellMapping})
	announce()
	require.Equal(t, []sentEvent{{1, job.CellMapping}, {2, job.CellMapping}}, withShortTimeout(unsentEvents(t, d, j)))
}

func TestOverdueEventsAreUnsent(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	var jobs []*job.Job
	for range 4 {
		j := d.AddJob(t, "status = 'PROCESSING'")
		transition(t, d, d.DB, j, job.Transition{To: job.Completed})
		jobs = append(jobs, j)
	}
	d.Exec(t, `UPDATE job_events SET occurred_at = now() - interval '1 minute' WHERE job_id <> $1`, jobs[3].Key)
	require.NoError(t, d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		return d.DB.MarkEventsSent(t.Context(), tx, []job.EventID{unsentEvents(t, d, jobs[1])[0].EventID})
	}))
	overdue := func(limit int) (ids []job.ID) {
		require.NoError(t, d.Maintenance.AcrossOrganisations(t.Context(), func(tx pgx.Tx) error {
			events, err := d.DB.OverdueEvents(t.Context(), tx, 10*time.Second, limit)
			for _, e := range events {
				ids = append(ids, e.JobID)
			}
			return err
		}))
		return ids
	}
	require.Equal(t, []job.ID{jobs[0].ID, jobs[2].ID}, overdue(10))
	require.Equal(t, []job.ID{jobs[0].ID}, overdue(1))
	require.Empty(t, unsentEvents(t, d, jobs[1]))
}
