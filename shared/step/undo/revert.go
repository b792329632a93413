package undo

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/entitytable"
	"github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// reversal is a change that is reverted.
type reversal struct {
	change  changeset.Change
	row     int64 // row of the undo; 0 for additional changes
	outcome rowwrite.Outcome
	errors  []rowwrite.Error
}

// part is a chunk of the undo in one attempt of its transaction.
type part struct {
	*undoRun
	chunk     *job.Chunk
	reversals []*reversal // latest change first
	tables    map[string]*entitytable.Table
}

// revertPart reverts the chunk with that index, unless another invocation has.
func (s *Step) revertPart(ctx context.Context, w *undoRun, index int) (p job.Progress, err error) {
	var delta job.Counts
	var done *revertedPart
	err = s.store.InOrganisation(ctx, w.job.OrganisationID, func(tx pgx.Tx) error {
		delta, done = job.Counts{}, nil // the transaction may run more than once
		j, err := s.store.LockJob(ctx, tx, w.job.ID)
		if err != nil {
			return err
		}
		if j.Status != job.Processing {
			return stoppedError(j)
		}
		if p = j.Progress; p.ChunksDone != index {
			return nil
		}
		if l, ok := w.described.(keyLocker); ok { // a preview changes nothing
			if err := l.LockKeys(ctx, tx); err != nil {
				return err
			}
		}
		if done, err = s.revertChunk(ctx, tx, w, index); err != nil {
			return err
		}
		if delta, err = s.savePart(ctx, tx, w, done); err != nil {
			return err
		}
		p, err = s.advance(ctx, tx, w, delta, 1)
		return err
	})
	if err != nil {
		return p, fmt.Errorf("part %d: %w", index, err)
	}
	if done != nil {
		w.recomputed.addOwn(done.part, done.changes)
	}
	s.metrics.Rows(w.job.TypeDimension(), delta)
	return p, nil
}

// revertedPart is a reverted chunk with the resulting changes.
type revertedPart struct {
	part    *part
	changes []changeset.Change
}

// revertChunk reverts a chunk.
func (s *Step) revertChunk(ctx context.Context, tx pgx.Tx, w *undoRun, index int) (*revertedPart, error) {
	chunk, err := s.store.ClaimChunk(ctx, tx, w.job.Key, index)
	if err != nil {
		return nil, err
	}
	changes, err := s.store.ChangesAtPlace(ctx, tx, chunk.Offset)
	if err != nil {
		return nil, err
	}
	if changes, err = s.withNotes(ctx, tx, w, changes); err != nil {
		return nil, err
	}
	p := &part{undoRun: w, chunk: chunk, tables: make(map[string]*entitytable.Table)}
	p.addReversals(changes)
	err = s.withCurrent(ctx, tx, w, func(bound *undoRun) error {
		p.undoRun = bound
		changes, err = s.revertReversals(ctx, tx, p)
		return err
	})
	p.undoRun = w
	return &revertedPart{p, changes}, err
}

// keyLocker types have keys that no index guarantees.
type keyLocker interface {
	// LockKeys lets writers of rows with such keys take turns, until their transactions end.
	LockKeys(ctx context.Context, tx pgx.Tx) error
}

// withCurrent runs f with the type for its table as it is now. If the table has changed since the
// version that the import has used, the version in use may fit it.
func (s *Step) withCurrent(ctx context.Context, tx pgx.Tx, w *undoRun, f func(*undoRun) error) error {
	if w.described == nil {
		return f(w)
	}
	run := func(current entity.Type, _ []string) error {
		bound := *w
		bound.described = current
		return f(&bound)
	}
	kind := w.described
	if own, ok := kind.(entity.CurrentType); ok {
		changed := entity.Savepoint(ctx, tx, func(tx pgx.Tx) error {
			_, _, err := own.Current(ctx, tx)
			return err
		})
		if problem.CodeOf(changed) == problem.TableChanged {
			if inUse, err := s.types.Type(ctx, tx, w.job.OrganisationID, w.job.ImportType, 0); err == nil {
				kind = inUse
			}
		}
	}
	return entity.WithCurrent(ctx, tx, kind, run)
}

// revertReversals reverts the changes of a part and returns those that this makes.
func (s *Step) revertReversals(ctx context.Context, tx pgx.Tx, p *part) ([]changeset.Change, error) {
	if err := s.store.DiscardQueryPlans(ctx, tx); err != nil {
		return nil, err
	}
	if err := s.store.BeginCapture(ctx, tx); err != nil {
		return nil, err
	}
	recompute, err := p.lockDependents(ctx, tx)
	if err != nil {
		return nil, err
	}
	for _, run := range p.runs() {
		if err := s.revertRun(ctx, tx, p, run); err != nil {
			return nil, err
		}
	}
	if err := recompute(); err != nil {
		return nil, err
	}
	return s.store.EndCapture(ctx, tx)
}

// addReversals adds a line for each change, the latest one first.
func (p *part) addReversals(changes []changeset.Change) {
	row := p.chunk.FirstRow
	for _, c := range slices.Backward(changes) {
		l := &reversal{change: c, outcome: rowwrite.Undone}
		if !c.IsInternal() {
			l.row = row
			row++
		}
		p.reversals = append(p.reversals, l)
	}
}

// runs divides the lines into runs that can be reverted with one statement: consecutive lines of
// one table and operation, each for a different entity.
func (p *part) runs() (runs [][]*reversal) {
	seen := make(map[string]bool)
	first := 0
	for i, l := range p.reversals {
		if of := &p.reversals[first].change; l.change.Table != of.Table || l.change.Op != of.Op || !slices.Equal(l.change.Hashed, of.Hashed) || seen[l.change.ID] {
			runs = append(runs, p.reversals[first:i])
			first = i
			clear(seen)
		}
		seen[l.change.ID] = true
	}
	if first < len(p.reversals) {
		runs = append(runs, p.reversals[first:])
	}
	return runs
}

// savePart stores the outcomes of a chunk's changes, and the resulting changes.
func (s *Step) savePart(ctx context.Context, tx pgx.Tx, w *undoRun, done *revertedPart) (job.Counts, error) {
	chunk := *done.part.chunk
	chunk.Done, chunk.Outcomes = true, make([]byte, 0, chunk.Lines)
	var results []job.RowResult
	for _, l := range done.part.reversals {
		if l.row == 0 {
			continue
		}
		chunk.Outcomes = append(chunk.Outcomes, byte(l.outcome))
		if len(l.errors) > 0 {
			results = append(results, job.RowResult{Row: l.row, Outcome: l.outcome, Errors: l.errors})
		}
	}
	if err := s.store.SaveOutcomes(ctx, tx, &chunk); err != nil {
		return job.Counts{}, err
	}
	if err := s.store.AddResults(ctx, tx, w.job, results); err != nil {
		return job.Counts{}, err
	}
	if err := s.saveChanges(ctx, tx, w, chunk.Index, done.changes); err != nil {
		return job.Counts{}, err
	}
	return job.CountOutcomes(chunk.Outcomes), nil
}

// saveChanges stores the changes of a chunk, also of a preview, which shows them.
func (s *Step) saveChanges(ctx context.Context, tx pgx.Tx, w *undoRun, chunk int, changes []changeset.Change) error {
	switch {
	case len(changes) == 0:
		return nil
	case w.job.IsPlanning():
		return s.store.AddPlannedChanges(ctx, tx, w.job, chunk, changes)
	case w.job.UndoDays > 0:
		return s.store.AddChanges(ctx, tx, w.job, chunk, changes)
	}
	return nil
}

// advance adds to the job's counters. It is always the last statement but one.
func (s *Step) advance(ctx context.Context, tx pgx.Tx, w *undoRun, delta job.Counts, parts int) (job.Progress, error) {
	p, running, err := s.store.AddProgress(ctx, tx, w.job.Key, delta, parts)
	if err == nil && !running {
		err = stoppedError(w.job)
	}
	if err != nil || !p.RowsDone() {
		return p, err
	}
	// No task waits for the last part, since the execution itself runs this.
	return p, s.store.MarkCallbackSent(ctx, tx, w.job.Key)
}

// errPreviewed rolls back the changes of a preview.
var errPreviewed = errors.New("preview")

// preview reverts everything in one transaction, so that each part sees the results of the
// previous ones, and then rolls it back. Only the outcomes and the change set are kept. A plan
// that is too large for one transaction is not computed: a person approves the number of changes.
func (s *Step) preview(ctx context.Context, w *undoRun) error {
	var delta job.Counts
	err := s.store.InOrganisation(ctx, w.job.OrganisationID, func(tx pgx.Tx) error {
		delta = job.Counts{}
		all, parts := []revertedPart(nil), w.progress.ChunkTotal
		if !w.job.IsPlanning() || w.progress.TotalRows <= undo.MaxPreviewChanges {
			var err error
			if all, err = s.previewParts(ctx, tx, w); err != nil {
				return err
			}
		}
		j, err := s.store.LockJob(ctx, tx, w.job.ID)
		if err != nil || j.Progress.RowsDone() {
			return err // another invocation was faster
		}
		for i := range all {
			counts, err := s.savePart(ctx, tx, w, &all[i])
			if err != nil {
				return err
			}
			delta = delta.Add(counts)
		}
		_, err = s.advance(ctx, tx, w, delta, parts)
		return err
	})
	if err == nil {
		s.metrics.Rows(w.job.TypeDimension(), delta)
	}
	return err
}

func (s *Step) previewParts(ctx context.Context, tx pgx.Tx, w *undoRun) (all []revertedPart, err error) {
	w.recomputed = &recomputations{} // the transaction may run more than once
	err = entity.Savepoint(ctx, tx, func(tx pgx.Tx) error {
		for index := range w.progress.ChunkTotal {
			if j, err := s.store.Job(ctx, tx, w.job.ID); err != nil || j.Status != job.Processing {
				return errors.Join(err, stoppedError(j))
			}
			done, err := s.revertChunk(ctx, tx, w, index)
			if err != nil {
				return err
			}
			w.recomputed.addOwn(done.part, done.changes)
			all = append(all, *done)
		}
		return errPreviewed
	})
	if errors.Is(err, errPreviewed) {
		return all, nil
	}
	return nil, err
}
