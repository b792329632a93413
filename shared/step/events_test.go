package step_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
)

// events returns the events of a job in order: its resting statuses and the counts.
func (e *engine) events(t *testing.T, ref job.Ref) (statuses []job.Status, counts []job.EventCounts) {
	t.Helper()
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		events, err := e.DB.UnsentEvents(t.Context(), tx, ref.JobID)
		for i, event := range events {
			require.Equal(t, i+1, event.Sequence)
			statuses, counts = append(statuses, event.Status), append(counts, event.Counts)
		}
		return err
	}))
	return statuses, counts
}

// An import without questions passes both phases without an event.
func TestUnattendedImportHasOneEvent(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	const known = "First name;Last name;Email;Type\nAnna;Berg;anna@x.org;senior\nBen;Cole;;Junior\n"
	ref := e.create(t, "MEMBERSHIP", "members.csv", known, asking)
	e.prepare(t, ref)
	statuses, _ := e.events(t, ref)
	require.Empty(t, statuses)
	e.drain(t, false)
	for range 2 {
		require.NoError(t, e.complete.Run(t.Context(), ref), "the state machine may repeat the step")
	}
	statuses, counts := e.events(t, ref)
	require.Equal(t, []job.Status{job.Completed}, statuses)
	require.Equal(t, []job.EventCounts{{Total: 2, Created: 1, Errors: 1}}, counts)
}

// Each question has one event, regardless of how often the functions run: about the columns,
// about values, and about values that first occur while processing.
func TestEveryQuestionHasOneEvent(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	ref := e.create(t, "MEMBERSHIP", "roster.csv", roster, asking)
	for range 2 {
		_, err := e.analyze.Run(t.Context(), ref)
		require.NoError(t, err)
	}
	e.Exec(t, `UPDATE import_column_mappings SET status = 'IGNORED', confirmed = true WHERE status = 'UNRESOLVED'`)
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error { // as a confirmation does
		_, _, err := e.DB.Transition(t.Context(), tx, e.job(t, ref).Key, job.Transition{To: job.CellMapping, Provisional: true})
		return err
	}))
	for range 2 {
		_, err := e.resolve.Run(t.Context(), ref)
		require.NoError(t, err)
	}
	e.Exec(t, `DELETE FROM import_cell_mappings`)
	e.transition(t, e.job(t, ref), job.Processing)
	require.NoError(t, e.split.Run(t.Context(), ref))
	e.drain(t, false)
	statuses, counts := e.events(t, ref)
	require.Equal(t, []job.Status{job.ColumnMapping, job.CellMapping, job.CellMapping}, statuses)
	require.Equal(t, job.EventCounts{Total: 5, Created: 2, Errors: 2, Deferred: 1}, counts[2])
	e.transition(t, e.job(t, ref), job.Cancelled)
	statuses, _ = e.events(t, ref)
	require.Equal(t, job.Cancelled, statuses[3])
}
