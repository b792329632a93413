package submit

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// maxUndoneRetries is the maximum number of retries that are undone with an import, and maxRetries
// the maximum number of those that are examined.
const (
	maxUndoneRetries = 100
	maxRetries       = 1000
)

// RetriesToUndo returns the retries of a job, and the retries of these, that can be undone with it and
// are not undone, newest first.
func (s *Service) RetriesToUndo(ctx context.Context, of job.Ref) (retries []job.UndoneRetry, err error) {
	err = s.store.InSnapshot(ctx, of.OrganisationID, func(tx pgx.Tx) error {
		inForce, _, err := s.retriesInForce(ctx, tx, of.JobID)
		if err != nil {
			return err
		}
		targets, err := s.countChanges(ctx, tx, inForce)
		retries = targets.jobs
		return err
	})
	return retries, err
}

// retriesInForce returns the retries of a job that can be undone and are not undone, newest first, and
// the reason why others must be undone or end before.
func (s *Service) retriesInForce(ctx context.Context, tx pgx.Tx, of job.ID) (inForce []*job.Job, busy *problem.Error, err error) {
	retries, err := s.store.Retries(ctx, tx, of, maxRetries)
	if err != nil {
		return nil, nil, err
	}
	for _, retry := range retries {
		switch err := s.checkUndoable(ctx, tx, retry); problem.CodeOf(err) {
		case "":
			inForce = append(inForce, retry)
		case problem.UndoDone, problem.UndoNothing, problem.UndoExpired:
		case problem.StillRunning:
			busy = problem.New(problem.StillRunning, "The retry %s of this import is not finished yet. Wait or cancel it.", retry.ID)
		case problem.UndoRunning:
			busy = problem.New(problem.UndoRunning, "An undo of the retry %s of this import is still running. Wait for its end.", retry.ID)
		default:
			return nil, nil, err
		}
	}
	if len(inForce) > maxUndoneRetries {
		inForce = inForce[:maxUndoneRetries]
		busy = problem.New(problem.StateConflict, "At most %d retries can be undone together, and this import has more. Undo the latest ones individually first.", maxUndoneRetries)
	}
	return inForce, busy, nil
}

// undoTargets are the jobs that an undo reverts.
type undoTargets struct {
	jobs           []job.UndoneRetry // at least one
	changes, bytes int64             // of all of them
}

// undo returns the undo of the jobs.
func (t *undoTargets) undo(mode undo.Mode) job.Undo {
	return job.Undo{Of: t.jobs[0].ID, Mode: string(mode), Retries: t.jobs[1:]}
}

// undoTargets returns the jobs that a request undoes: the requested one, unless only its retries are
// left to be undone, and the retries, if requested, that are not undone, newest first.
func (s *Service) undoTargets(ctx context.Context, tx pgx.Tx, r UndoRequest, of *job.Job) (*undoTargets, error) {
	refused := s.checkUndoable(ctx, tx, of)
	code := problem.CodeOf(refused)
	if r.Preview && (code == problem.UndoDone || code == problem.UndoRunning) && !r.Retries {
		refused, code = nil, "" // the preview shows what would be left to do
	}
	var jobs []*job.Job
	switch {
	case code == "":
		jobs = []*job.Job{of}
	case !r.Retries || code != problem.UndoDone && code != problem.UndoNothing:
		return nil, refused
	}
	if r.Retries {
		if err := s.store.LockRetries(ctx, tx, of.ID); err != nil {
			return nil, err
		}
		retries, busy, err := s.retriesInForce(ctx, tx, of.ID)
		if err != nil {
			return nil, err
		}
		if busy != nil {
			return nil, busy
		}
		jobs = append(jobs, retries...)
	}
	targets, err := s.countChanges(ctx, tx, jobs)
	switch {
	case err != nil:
		return nil, err
	case len(targets.jobs) > 0:
		return targets, nil
	case refused != nil:
		return nil, refused
	}
	return nil, problem.New(problem.UndoNothing, "This import has no changes to undo.")
}

// countChanges returns those of the jobs that have changed anything.
func (s *Service) countChanges(ctx context.Context, tx pgx.Tx, jobs []*job.Job) (*undoTargets, error) {
	targets := &undoTargets{}
	if len(jobs) == 0 {
		return targets, nil
	}
	keys, changes := make([]job.Key, len(jobs)), make(map[job.Key]int64)
	for i, j := range jobs {
		keys[i] = j.Key
	}
	parts, err := s.store.ChangesNewestFirst(ctx, tx, keys...)
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		changes[part.Job] += int64(part.Changes)
		targets.changes += int64(part.Changes)
		targets.bytes += part.Bytes
	}
	for _, j := range jobs {
		if n, changed := changes[j.Key]; changed {
			targets.jobs = append(targets.jobs, job.UndoneRetry{ID: j.ID, Changes: n})
		}
	}
	return targets, nil
}
