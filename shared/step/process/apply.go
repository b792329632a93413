package process

import (
	"bytes"
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/planapply"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// checkPass rejects a chunk of a plan that was read while the plan was being created and is
// claimed while it is applied. Applying reopens the chunks and updates the job in one
// transaction, so a claimed chunk sees both.
func (s *Step) checkPass(ctx context.Context, tx pgx.Tx, in *chunkInput) error {
	if !in.job.IsPlanning() {
		return nil
	}
	now, err := s.store.Job(ctx, tx, in.job.ID)
	if err == nil && now.IsApplying() {
		err = errReopened
	}
	return err
}

// plannedRows returns the chunk's rows from the plan; the file is not read again.
func (in *chunkInput) plannedRows() decodedRows {
	return decodedRows{outcomes: bytes.Clone(in.chunk.Outcomes)}
}

// applyPlan writes the planned changes of the chunk and gives each row its planned outcome,
// except rows with entities that have changed since. Rows that share keys are written with the chunk
// that has planned them, all of them or none.
func (s *Step) applyPlan(ctx context.Context, tx pgx.Tx, a *attempt) error {
	changes, err := s.store.PlannedChanges(ctx, tx, a.job.Key, a.chunk.Index)
	if err != nil {
		return err
	}
	whole := a.current.Declaration().RowsDependOnEachOther()
	verify, err := planapply.VerifyDependents(ctx, tx, a.current, changes, a.job.ResultJSON)
	if err != nil {
		return err
	}
	stale, err := planapply.Write(ctx, tx, s.store, planapply.Target{
		Organisation: a.job.OrganisationID, Type: a.current, Job: a.job.Key, FirstOfGroup: a.keyGroups.First, Whole: whole, Overwrite: a.job.Plan.OnStale == job.OverwriteStale, Verify: verify,
	}, changes)
	if err != nil {
		return err
	}
	if whole {
		a.applyWhole(stale[0])
		return s.noteStale(ctx, tx, a)
	}
	var entities map[int64]string
	if _, looks := a.current.(entity.SecondLooker); looks {
		entities, a.applied = entitiesOf(changes), make(map[int64]appliedRow)
	}
	for i, o := range a.outcomes {
		if row := a.chunk.FirstRow + int64(i); !a.keyGroups.OwnedElsewhere(row) {
			a.outcomes[i] = byte(a.noteApplied(entities, row, a.appliedOutcome(row, rowwrite.Outcome(o), stale)))
		}
	}
	delta, err := a.keyGroups.DecideForeign(ctx, tx, s.store, a.job, func(row int64, now rowwrite.Outcome) rowwrite.Outcome {
		return a.noteApplied(entities, row, a.appliedOutcome(row, now, stale))
	})
	a.delta = a.delta.Add(delta)
	if err != nil {
		return err
	}
	return s.noteStale(ctx, tx, a)
}

// noteStale changes the notes of the type for rows that turned out stale.
func (s *Step) noteStale(ctx context.Context, tx pgx.Tx, a *attempt) error {
	noting, ok := a.current.(entity.NoteWriter)
	if !ok || len(a.results) == 0 {
		return nil
	}
	rows := make([]int64, len(a.results))
	for i := range a.results {
		rows[i] = a.results[i].Row
	}
	return noting.WriteStaleNotes(ctx, tx, a.job.OrganisationID, int64(a.job.Key), rows)
}

// applyWhole sets the outcomes of rows that were written together, or not at all because some of
// them were stale.
func (a *attempt) applyWhole(stale bool) {
	for i, o := range a.outcomes {
		now := rowwrite.Outcome(o)
		written := now.WhenWritten()
		if stale && written != now {
			written = rowwrite.Skipped
			a.results = append(a.results, job.RowResult{Row: a.chunk.FirstRow + int64(i), Outcome: rowwrite.Skipped, Errors: []rowwrite.Error{{
				Code: problem.PlanStale, Message: "Data that the rows of this file depend on has changed since the plan was created, so none of them was written. Import the file again.",
			}}})
		}
		a.outcomes[i] = byte(written)
	}
}

// appliedOutcome returns the outcome of a row that has been written or is stale.
func (a *attempt) appliedOutcome(row int64, now rowwrite.Outcome, stale map[int64]bool) rowwrite.Outcome {
	written := now.WhenWritten()
	if written == now || !stale[a.keyGroups.First(row)] {
		return written
	}
	a.results = append(a.results, job.RowResult{Row: row, Outcome: rowwrite.Skipped, Errors: []rowwrite.Error{{
		Code: problem.PlanStale, Message: "The data of this row has changed since the plan was created. The row was not written.",
	}}})
	return rowwrite.Skipped
}
