package process

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/capture"
	"github.com/loadbay/loadbay/shared/entity"
)

// write resolves the references and writes the entities.
func (s *Step) write(ctx context.Context, tx pgx.Tx, a *attempt) error {
	if err := s.resolve(ctx, tx, a); err != nil {
		return err
	}
	a.deferKeyGroups()
	if a.exceedsErrorLimit() {
		a.overLimit = true
		return nil
	}
	if a.batch.Len() == 0 {
		return nil
	}
	if !a.job.DryRun && !a.job.IsPlanning() {
		if err := s.writeRows(ctx, tx, a); err != nil {
			return err
		}
		return a.note(ctx, tx)
	}
	err := capture.DryRun(ctx, tx, s.store, a.job, a.chunk.Index, func(tx pgx.Tx) error { return s.writeRows(ctx, tx, a) }, a.checkRecorded)
	if err != nil || a.job.DryRun {
		return err
	}
	return a.note(ctx, tx)
}

// writeRows writes all rows of the batch except those that the database refuses for their
// content.
func (s *Step) writeRows(ctx context.Context, tx pgx.Tx, a *attempt) error {
	if err := s.bindReferences(ctx, tx, a); err != nil {
		return err
	}
	written := func(part *entity.Batch) error {
		a.collectResults(part)
		a.reported.Add(part)
		if part.Notes != nil {
			a.noted = append(a.noted, *part)
		}
		return s.displace(ctx, tx, a, part.Displaced)
	}
	return entity.Bisect(ctx, tx, a.batch, a.current.(entity.RowWriter).Write, written, func(row int64, sqlState string) {
		s.log.WarnContext(ctx, "row rejected by database", "chunk", a.chunk.Index, "row", row, "sqlstate", sqlState)
	})
}

// note saves the notes of the type for written rows.
func (a *attempt) note(ctx context.Context, tx pgx.Tx) error {
	noting, _ := a.current.(entity.NoteWriter)
	for i := range a.noted {
		if err := noting.WriteNotes(ctx, tx, &a.noted[i]); err != nil {
			return err
		}
	}
	return nil
}
