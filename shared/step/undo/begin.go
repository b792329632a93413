package undo

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// Ledger stores the outcomes of all changes.
type Ledger interface {
	AddChunks(ctx context.Context, tx pgx.Tx, j *job.Job, chunks []job.Chunk) error
	CompleteSplit(ctx context.Context, tx pgx.Tx, key job.Key, t job.SplitTotals) (job.Progress, bool, error)
	ClaimChunk(ctx context.Context, tx pgx.Tx, key job.Key, index int) (*job.Chunk, error)
	SaveOutcomes(ctx context.Context, tx pgx.Tx, c *job.Chunk) error
	AddResults(ctx context.Context, tx pgx.Tx, j *job.Job, results []job.RowResult) error
}

// Changes reads and writes change sets.
type Changes interface {
	ChangesNewestFirst(ctx context.Context, tx pgx.Tx, keys ...job.Key) ([]changeset.PartInfo, error)
	ChangesOfTableSince(ctx context.Context, tx pgx.Tx, table string, place int64, limit int) ([]changeset.PartInfo, error)
	ChangesSince(ctx context.Context, tx pgx.Tx, place int64, limit int) ([]changeset.PartInfo, error)
	ChangesAtPlace(ctx context.Context, tx pgx.Tx, place int64) ([]changeset.Change, error)
	BeginCapture(ctx context.Context, tx pgx.Tx) error
	EndCapture(ctx context.Context, tx pgx.Tx) ([]changeset.Change, error)
	AddChanges(ctx context.Context, tx pgx.Tx, j *job.Job, chunk int, changes []changeset.Change) error
	AddPlannedChanges(ctx context.Context, tx pgx.Tx, j *job.Job, chunk int, changes []changeset.Change) error
}

// undoRun is the state of an undo.
type undoRun struct {
	job   *job.Job
	force bool
	kind  *entity.Declaration
	// described is the import type, which may describe a table; nil if it no longer exists.
	described entity.Type
	// dependent is the import type if it computes values from several entities; else nil.
	dependent entity.DependentType
	progress  job.Progress
	// scope is the set of entities that a cascade covers; nil for all entities that the import has
	// changed.
	scope map[entityKey]bool
	// recomputed are the computed values that later imports and the undo itself have replaced.
	recomputed *recomputations
}

// begin fills the ledger, unless an earlier invocation has: one chunk for each part, with the
// position of the part as its offset.
func (s *Step) begin(ctx context.Context, j *job.Job) (*undoRun, error) {
	w := &undoRun{job: j, force: j.Undo.Mode == string(undo.Force), progress: j.Progress, kind: &entity.Declaration{}, recomputed: &recomputations{}}
	t, err := s.types.Type(ctx, nil, j.OrganisationID, j.ImportType, j.TypeVersion)
	if err == nil {
		w.described = t
		w.kind = t.Declaration()
		w.dependent, _ = t.(entity.DependentType)
	} else if problem.CodeOf(err) != problem.ImportTypeUnknown {
		return nil, err
	}
	err = s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) error {
		var keys []job.Key
		for _, id := range j.Undo.Jobs() {
			of, err := s.store.Job(ctx, tx, id)
			if problem.CodeOf(err) == problem.NotFound {
				return problem.New(problem.UndoExpired, "The import to undo was deleted.")
			}
			if err != nil {
				return err
			}
			keys = append(keys, of.Key)
		}
		parts, err := s.store.ChangesNewestFirst(ctx, tx, keys...)
		if err != nil {
			return err
		}
		cascade := w.job.Undo.Mode == string(undo.Cascade) && len(parts) > 0
		if cascade {
			if err := s.loadScope(ctx, tx, w, parts); err != nil {
				return err
			}
		}
		if w.progress.SplitComplete {
			return nil
		}
		if cascade {
			if parts, err = s.laterParts(ctx, tx, w, parts); err != nil {
				return err
			}
		}
		w.progress, err = s.addLedger(ctx, tx, w, parts)
		return err
	})
	return w, err
}

func (s *Step) addLedger(ctx context.Context, tx pgx.Tx, w *undoRun, parts []changeset.PartInfo) (job.Progress, error) {
	j, err := s.store.LockJob(ctx, tx, w.job.ID)
	if err != nil || j.Progress.SplitComplete {
		return j.Progress, err
	}
	chunks, rows := make([]job.Chunk, len(parts)), int64(0)
	for i, part := range parts {
		chunks[i] = job.Chunk{Index: i, Offset: part.Place, Length: part.Bytes, FirstRow: rows + 1, Lines: part.Changes, Rows: part.Changes}
		rows += int64(part.Changes)
	}
	if err := s.store.AddChunks(ctx, tx, j, chunks); err != nil {
		return j.Progress, err
	}
	p, running, err := s.store.CompleteSplit(ctx, tx, j.Key, job.SplitTotals{Chunks: len(chunks), Lines: rows, Rows: rows})
	if err == nil && !running {
		err = stoppedError(j)
	}
	return p, err
}
