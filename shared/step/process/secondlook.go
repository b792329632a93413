package process

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// lookAgain adds a warning to written rows with keys that several entities have now that the chunk is
// committed. The rows stay written, so a failure to look is only logged.
func (s *Step) lookAgain(ctx context.Context, a *attempt) {
	looker, ok := a.current.(entity.SecondLooker)
	if !ok || a.stopped || a.job.DryRun || a.job.IsPlanning() {
		return
	}
	if a.job.IsApplying() {
		s.lookAgainAtPlanned(ctx, looker, a)
		return
	}
	if a.batch == nil {
		return
	}
	var rows []int
	for i := range a.batch.Len() {
		if o, _ := a.outcome(a.batch.Row(i)); o == rowwrite.Created || o == rowwrite.Updated {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return
	}
	written := a.batch.Pick(rows)
	err := s.store.InOrganisation(ctx, a.job.OrganisationID, func(tx pgx.Tx) error {
		doubled, err := looker.DoubledKeys(ctx, tx, written)
		if err != nil {
			return err
		}
		return s.store.AddResults(ctx, tx, a.job, a.withWarnings(written, doubled))
	})
	if err != nil {
		s.log.WarnContext(ctx, "second look at keys failed", "chunk", a.chunk.Index, "sqlstate", entity.SQLState(err))
	}
}

// withWarnings returns the results of rows with the warnings added.
func (a *attempt) withWarnings(b *entity.Batch, warnings map[int]rowwrite.Error) (results []job.RowResult) {
	for _, i := range slices.Sorted(maps.Keys(warnings)) {
		row := b.Row(i)
		outcome, _ := a.outcome(row)
		r := job.RowResult{Row: row, Outcome: outcome}
		for _, known := range a.results {
			if known.Row == row {
				r.Errors = slices.Clone(known.Errors)
			}
		}
		r.Errors = append(r.Errors, a.words.Format(row, warnings[i]))
		results = append(results, r)
	}
	return results
}

// lookAgainAtPlanned is lookAgain for rows that a plan has written: their entities are looked up.
func (s *Step) lookAgainAtPlanned(ctx context.Context, looker entity.SecondLooker, a *attempt) {
	rows := slices.Sorted(maps.Keys(a.applied))
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = a.applied[row].id
	}
	if len(ids) == 0 {
		return
	}
	err := s.store.InOrganisation(ctx, a.job.OrganisationID, func(tx pgx.Tx) error {
		doubled, err := looker.DoubledEntities(ctx, tx, ids)
		if err != nil {
			return err
		}
		var results []job.RowResult
		for _, i := range slices.Sorted(maps.Keys(doubled)) {
			results = append(results, job.RowResult{Row: rows[i], Outcome: a.applied[rows[i]].outcome, Errors: []rowwrite.Error{doubled[i]}})
		}
		return s.store.ExtendResults(ctx, tx, a.job, results)
	})
	if err != nil {
		s.log.WarnContext(ctx, "second look at keys failed", "chunk", a.chunk.Index, "sqlstate", entity.SQLState(err))
	}
}

// appliedRow is a row that a plan has written.
type appliedRow struct {
	id      string // of its entity
	outcome rowwrite.Outcome
}

// noteApplied keeps the entity of a written row for the second look.
func (a *attempt) noteApplied(entities map[int64]string, row int64, outcome rowwrite.Outcome) rowwrite.Outcome {
	if id := entities[row]; id != "" && (outcome == rowwrite.Created || outcome == rowwrite.Updated) {
		a.applied[row] = appliedRow{id, outcome}
	}
	return outcome
}

// entitiesOf returns the entity that each row of planned changes creates or updates.
func entitiesOf(parts []changeset.Part) map[int64]string {
	entities := make(map[int64]string)
	for i := range parts {
		for _, c := range parts[i].Changes {
			if c.Op != changeset.Deleted && c.Row != 0 {
				entities[c.Row] = c.ID
			}
		}
	}
	return entities
}
