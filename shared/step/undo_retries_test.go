package step_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	rules "github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// retriedImport imports two rows, of which one fails and is corrected twice: its retries change what
// the import has written.
func retriedImport(t *testing.T) (e *engine, before, after entities, of, first, second job.Ref) {
	t.Helper()
	e = setup(t, 1)
	e.upsertUsers(t, "Email,Full name\na@x.org,Ann\n")
	before = e.entities(t)
	of = e.create(t, "USER", "users.csv", "Email,Full name\na@x.org,Anna\nben at x,Annie\ncid at x,Anne\n", func(j *job.Job) { j.Mode = rowwrite.Upsert })
	e.runFile(t, of, false)
	retry := func(place string) job.Ref {
		e.saveCorrections(t, of, map[string]string{place: `"a@x.org"`})
		ref, err := e.retry(t, of, false)
		require.NoError(t, err)
		e.runFile(t, ref, false)
		return ref
	}
	first, second = retry("3 EMAIL"), retry("4 EMAIL")
	require.Equal(t, []string{"a@x.org Anne user"}, e.names(t))
	return e, before, e.entities(t), of, first, second
}

// undoWithRetries undoes a job with its retries.
func (e *engine) undoWithRetries(t *testing.T, of job.Ref, mode rules.Mode, preview bool) job.Ref {
	t.Helper()
	ref, err := e.acceptUndo(t, submit.UndoRequest{Ref: of, Mode: mode, Preview: preview, Retries: true})
	require.NoError(t, err)
	e.finishUndo(t, ref)
	return ref
}

func TestUndoWithRetriesRestoresDatabase(t *testing.T) {
	t.Parallel()
	e, before, after, of, first, second := retriedImport(t)
	toUndo, err := e.undoService(t).RetriesToUndo(t.Context(), of)
	require.NoError(t, err)
	require.Equal(t, []job.UndoneRetry{{ID: second.JobID, Changes: 1}, {ID: first.JobID, Changes: 1}}, toUndo)

	alone := e.runUndo(t, of, rules.Safe, true)
	require.EqualValues(t, 1, e.job(t, alone).Progress.Counts.Skipped, "the retries have changed the value since")
	preview := e.undoWithRetries(t, of, rules.Safe, true)
	require.Equal(t, job.Counts{Updated: 3}, e.job(t, preview).Progress.Counts)
	require.Equal(t, after, e.entities(t))

	back := e.undoWithRetries(t, of, rules.Safe, false)
	require.Equal(t, before, e.entities(t))
	require.Equal(t, job.Undo{Of: of.JobID, Mode: "safe", Retries: toUndo}, *e.job(t, back).Undo)
	for _, undone := range []job.Ref{of, first, second} {
		require.Equal(t, &job.RevertedBy{JobID: back.JobID, Complete: true}, e.job(t, undone).Undone)
		_, err := e.requestUndo(t, undone, rules.Safe, false)
		require.Equal(t, problem.UndoDone, problem.CodeOf(err))
	}
	_, err = e.acceptUndo(t, submit.UndoRequest{Ref: of, Mode: rules.Safe, Retries: true})
	require.Equal(t, problem.UndoDone, problem.CodeOf(err))

	e.undo(t, back, rules.Safe)
	require.Equal(t, after, e.entities(t))
	require.Nil(t, e.job(t, first).Undone)
}

func TestUndoWithRetriesLeavesUndoneOnesAlone(t *testing.T) {
	t.Parallel()
	t.Run("a retry is undone", func(t *testing.T) {
		t.Parallel()
		e, before, _, of, first, second := retriedImport(t)
		e.undo(t, second, rules.Safe)
		back := e.job(t, e.undoWithRetries(t, of, rules.Safe, false))
		require.Equal(t, job.Counts{Updated: 2}, back.Progress.Counts)
		require.Equal(t, []job.UndoneRetry{{ID: first.JobID, Changes: 1}}, back.Undo.Retries)
		require.Equal(t, before, e.entities(t))
	})
	t.Run("only the retries are left", func(t *testing.T) {
		t.Parallel()
		e, _, _, of, first, second := retriedImport(t)
		e.Exec(t, `UPDATE users SET name = 'Anna'`)
		e.undo(t, of, rules.Safe)
		e.Exec(t, `UPDATE users SET name = 'Anne'`)
		back := e.job(t, e.undoWithRetries(t, of, rules.Safe, false))
		require.Equal(t, second.JobID, back.Undo.Of)
		require.Equal(t, []job.UndoneRetry{{ID: first.JobID, Changes: 1}}, back.Undo.Retries)
		require.EqualValues(t, 2, back.Progress.TotalRows)
	})
}

func TestUndoWithRetriesWaitsForThem(t *testing.T) {
	t.Parallel()
	e, _, _, of, first, _ := retriedImport(t)
	request := submit.UndoRequest{Ref: of, Mode: rules.Safe, Retries: true}
	running, err := e.requestUndo(t, first, rules.Safe, false)
	require.NoError(t, err)
	_, err = e.acceptUndo(t, request)
	require.Equal(t, problem.UndoRunning, problem.CodeOf(err))
	e.finishUndo(t, running)
	e.Exec(t, `UPDATE import_jobs SET status = 'PROCESSING', completed_at = NULL, undo_until = NULL WHERE uuid = $1`, first.JobID)
	_, err = e.acceptUndo(t, request)
	require.Equal(t, problem.StillRunning, problem.CodeOf(err))
}

func TestUndoWithRetriesRequiresPreviewWithRetries(t *testing.T) {
	t.Parallel()
	e, before, _, of, _, _ := retriedImport(t)
	e.runUndo(t, of, rules.Force, true)
	_, err := e.acceptUndo(t, submit.UndoRequest{Ref: of, Mode: rules.Force, Retries: true})
	require.Equal(t, problem.PreviewRequired, problem.CodeOf(err))
	e.undoWithRetries(t, of, rules.Force, true)
	e.undoWithRetries(t, of, rules.Force, false)
	require.Equal(t, before, e.entities(t))
}

func TestUndoWithRetriesObeysGuards(t *testing.T) {
	t.Parallel()
	e, _, after, of, _, _ := retriedImport(t)
	e.setGuards(t, job.Guards{Updated: "2"})
	ref, err := e.acceptUndo(t, submit.UndoRequest{Ref: of, Mode: rules.Safe, Retries: true})
	require.NoError(t, err)
	_, err = e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	_, err = e.undoStep().Run(t.Context(), ref)
	require.NoError(t, err)
	require.Empty(t, e.awaitApproval(t, ref), "three changes are more than two")
	require.Equal(t, job.AwaitingApproval, e.job(t, ref).Status)
	require.Equal(t, after, e.entities(t))
}
