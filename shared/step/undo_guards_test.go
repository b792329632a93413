package step_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	rules "github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/organisation/settings"
	"github.com/loadbay/loadbay/shared/problem"
)

// setGuards sets the guards of the organisation, and that plans are approved by others.
func (e *engine) setGuards(t *testing.T, guards job.Guards) {
	t.Helper()
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		_, err := e.DB.UpdateSettings(t.Context(), tx, 1, "tester", func(s *settings.Settings) error {
			s.Guards, s.Approval = guards, job.ApprovalOther
			return nil
		})
		return err
	}))
}

// planUndo requests an undo and runs it until it may have to be approved.
func (e *engine) planUndo(t *testing.T, of job.Ref) job.Ref {
	t.Helper()
	ref, err := e.requestUndo(t, of, rules.Safe, false)
	require.NoError(t, err)
	next, err := e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, "WHOLE_FILE", next.Next)
	for range 2 { // a repeated invocation computes nothing again
		next, err = e.undoStep().Run(t.Context(), ref)
		require.NoError(t, err)
		require.Equal(t, callback.NextApproval, next.Next)
	}
	return ref
}

// applyUndo runs an undo after its approval.
func (e *engine) applyUndo(t *testing.T, ref job.Ref) {
	t.Helper()
	next, err := e.undoStep().Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, callback.NextComplete, next.Next)
	require.NoError(t, e.complete.Run(t.Context(), ref))
}

// An undo that deletes or changes more than the guards allow changes nothing until it is
// approved. Its plan lists the changes. It then keeps what was changed since, also between the
// plan and the approval.
func TestUndoBeyondGuardsAwaitsApproval(t *testing.T) {
	t.Parallel()
	for name, guards := range map[string]job.Guards{
		"deletes more than may be created":   {Created: "1"},
		"deletes more than may be updated":   {Updated: "1"},
		"updates more than may be updated":   {Updated: "2"},
		"changes more values than it may":    {Fields: map[string]job.ErrorLimit{"NAME": "0"}},
		"deletes a larger share than it may": {Created: "10%"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setup(t, 2)
			e.upsertUsers(t, "Email,Full name,Role\na@x.org,Ann,user\n")
			before := e.entities(t)
			of := e.upsertUsers(t, "Email,Full name,Role\na@x.org,Anna,user\nb@x.org,Ben,user\nc@x.org,Cid,user\n")
			e.setGuards(t, guards)
			imported := e.entities(t)
			ref := e.planUndo(t, of)
			require.Equal(t, imported, e.entities(t), "nothing is undone before the approval")
			require.Empty(t, e.awaitApproval(t, ref), "the undo waits for approval")
			require.Empty(t, e.awaitApproval(t, ref), "the repeated step waits for approval too")
			planned := e.plannedChanges(t, ref)
			require.Equal(t, changeset.Counts{Updated: 1, Deleted: 2}, changeset.Count(planned))
			waiting := e.job(t, ref)
			require.Equal(t, job.AwaitingApproval, waiting.Status)
			require.EqualValues(t, 3, waiting.Progress.Counts.Updated)
			require.Equal(t, job.UndoNotApplied, waiting.WhyNotUndoable())

			e.transition(t, waiting, job.Processing)
			require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
				return e.DB.BeginApply(t.Context(), tx, waiting, "bob", job.SkipStale)
			}))
			require.Equal(t, []string{callback.NextUndo}, e.awaitApproval(t, ref))
			e.applyUndo(t, ref)
			require.Equal(t, before, e.entities(t))
			require.Equal(t, job.Completed, e.job(t, ref).Status)
			require.EqualValues(t, 3, e.job(t, ref).Progress.Counts.Updated)
			e.undoPlanned(t, ref, imported)
		})
	}
}

// undoPlanned undoes an undo that was planned.
func (e *engine) undoPlanned(t *testing.T, ref job.Ref, imported entities) {
	t.Helper()
	e.setGuards(t, job.Guards{})
	e.undo(t, ref, rules.Safe)
	require.Equal(t, imported, e.entities(t))
}

// An entity that was edited between the plan and the approval is kept, with one result.
func TestApprovedUndoKeepsLaterEdits(t *testing.T) {
	t.Parallel()
	e := setup(t, 10)
	of := e.upsertUsers(t, "Email,Full name,Role\na@x.org,Ann,user\nb@x.org,Ben,user\nc@x.org,Cid,user\n")
	e.setGuards(t, job.Guards{Created: "0"})
	e.Exec(t, `UPDATE users SET name = 'Anna' WHERE email = 'a@x.org'`)
	ref := e.planUndo(t, of)
	e.awaitApproval(t, ref)
	waiting := e.job(t, ref)
	require.EqualValues(t, 1, waiting.Progress.Counts.Skipped)
	e.Exec(t, `UPDATE users SET name = 'Benno' WHERE email = 'b@x.org'`)
	e.transition(t, waiting, job.Processing)
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		return e.DB.BeginApply(t.Context(), tx, waiting, "bob", job.SkipStale)
	}))
	require.Equal(t, problem.StateConflict, problem.CodeOf(e.split.Run(t.Context(), ref)), "an execution that began before an update")
	e.applyUndo(t, ref)
	require.Equal(t, []string{"a@x.org Anna user", "b@x.org Benno user"}, e.names(t))
	done := e.job(t, ref)
	require.Equal(t, []int64{1, 2}, []int64{done.Progress.Counts.Updated, done.Progress.Counts.Skipped})
	require.True(t, done.Progress.Reconciles())
}

// An undo within the guards continues without a person.
func TestUndoWithinGuardsContinues(t *testing.T) {
	t.Parallel()
	e := setup(t, 10)
	before := e.entities(t)
	of := e.upsertUsers(t, "Email,Full name,Role\na@x.org,Ann,user\nb@x.org,Ben,user\n")
	e.setGuards(t, job.Guards{Created: "2", Updated: "100%"})
	ref := e.planUndo(t, of)
	require.Equal(t, []string{callback.NextUndo}, e.awaitApproval(t, ref))
	e.applyUndo(t, ref)
	require.Equal(t, before, e.entities(t))
}
