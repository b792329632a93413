package step_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	rules "github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// TestCascadePreviewIsBounded: changes of later imports to the same entities count, too, which
// only the undo itself determines.
func TestCascadePreviewIsBounded(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	first := e.upsertUsers(t, "Email,Name\na@x.org,Ann\nb@x.org,Ben\n")
	later := e.job(t, e.upsertUsers(t, "Email,Name\na@x.org,Anna\n"))
	id := e.changeSet(t, first, false)[0].ID
	const limit, inAPart = 200_000, 5_000
	part := make([]changeset.Change, inAPart)
	for i := range part {
		part[i] = changeset.Change{Row: 2, Table: "users", ID: id, Op: changeset.Updated, Columns: []string{"name"}, Before: []*string{new("Anna")}, After: []*string{new("Anna")}}
	}
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		for chunk := range limit / inAPart {
			if err := e.DB.AddChanges(t.Context(), tx, later, 1+chunk, part); err != nil {
				return err
			}
		}
		return nil
	}))
	ref, err := e.requestUndo(t, first, rules.Cascade, true)
	require.NoError(t, err, "the import itself has few changes")
	_, err = e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	_, err = e.undoStep().Run(t.Context(), ref)
	require.Equal(t, problem.PreviewTooLarge, problem.CodeOf(err), "%v", err)
	require.Contains(t, problem.From(err).Message, "200003 changes")
	require.Len(t, e.names(t), 2)
}

// TestUndoableIsKnownAtCreation: before a row is read, an import reports whether it will be
// undoable when it has ended.
func TestUndoableIsKnownAtCreation(t *testing.T) {
	t.Parallel()
	e := setupEvent(t)
	why := func(importType string, change func(*job.Job)) job.NotUndoable {
		return e.job(t, e.create(t, importType, "x.csv", "x\n", func(j *job.Job) {
			switch importType {
			case "MEMBERSHIP":
				member(j)
			case "EVENT_PARTICIPANT", "RESULT":
				j.ContextID = new(int64(1))
			}
			if change != nil {
				change(j)
			}
		})).WhyNotUndoable()
	}
	for _, kept := range []bool{true, false} {
		for _, kind := range catalog.New().Types() {
			d := kind.Declaration().Name
			want := map[bool]job.NotUndoable{true: job.UndoNotEnded, false: job.UndoNotKept}[kept]
			require.Equal(t, want, why(d, nil), d)
			require.Equal(t, want, why(d, func(j *job.Job) { j.Plan = &job.Plan{Requested: true} }), d)
			require.Equal(t, job.UndoDryRun, why(d, func(j *job.Job) { j.DryRun = true }), d)
		}
		e.Exec(t, `INSERT INTO organisation_settings (organisation_id, undo_days) VALUES (1, 0) ON CONFLICT (organisation_id) DO UPDATE SET undo_days = 0`)
	}
}

// TestUndoRestoresEventResults: the numbers that the results have changed are restored, too.
func TestUndoRestoresEventResults(t *testing.T) {
	t.Parallel()
	for _, partRows := range []int{1, 100} {
		e := setupRace(t)
		states := []entities{e.entities(t)}
		ref := e.createInEvent(t, "RESULT", combined, `{"applyNumberChanges": true}`)
		e.runWhole(t, ref, partRows)
		require.NotEmpty(t, e.resultLines(t))
		e.requireUndo(t, []job.Ref{ref}, append(states, e.entities(t)))
	}
}
