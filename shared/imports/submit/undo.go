package submit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/organisation/settings"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// UndoStore finds the changes that can be undone, and the earlier undos.
type UndoStore interface {
	BeginUndo(ctx context.Context, tx pgx.Tx, j *job.Job, u job.Undo) error
	Undos(ctx context.Context, tx pgx.Tx, of job.ID, limit int) ([]*job.Job, error)
	ChangesNewestFirst(ctx context.Context, tx pgx.Tx, key job.Key) ([]changeset.PartInfo, error)
}

// UndoRequest is a request to undo the changes of a job.
type UndoRequest struct {
	job.Ref   // the job
	RequestID string
	Key       string // the idempotency key, or ""
	Mode      undo.Mode
	Preview   bool   // undoes nothing; reports the outcome of each change
	Uploader  string // see Request
}

// Undo creates a job that undoes the changes of another one. UNDO_RUNNING, UNDO_DONE,
// UNDO_NOTHING and UNDO_EXPIRED are the reasons why nothing can be undone; PREVIEW_REQUIRED
// requires a preview of the same mode first.
func (s *Service) Undo(ctx context.Context, r UndoRequest) (*Accepted, error) {
	return s.createOnce(ctx, r.OrganisationID, r.Key, r.fingerprint(), func(id job.ID) (*Accepted, error) { return s.createUndo(ctx, r, id) })
}

// fingerprint is equal for equivalent requests.
func (r *UndoRequest) fingerprint() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "POST /api/imports/undo %s %s %v", r.JobID, r.Mode, r.Preview))
	return hex.EncodeToString(sum[:])
}

// createUndo carries out a request. It is safe to repeat with the same id.
func (s *Service) createUndo(ctx context.Context, r UndoRequest, id job.ID) (*Accepted, error) {
	var j *job.Job
	err := s.store.InOrganisation(ctx, r.OrganisationID, func(tx pgx.Tx) (err error) {
		j, err = s.storeUndo(ctx, tx, r, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := s.startExecution(ctx, j); err != nil {
		return nil, err
	}
	s.log.InfoContext(telemetry.WithJob(ctx, j), "undo accepted", "undo_of", r.JobID, "mode", r.Mode, "preview", r.Preview, "changes", j.Progress.TotalRows)
	return &Accepted{Job: j}, nil
}

// storeUndo stores the job under a lock that prevents another undo of the same job.
func (s *Service) storeUndo(ctx context.Context, tx pgx.Tx, r UndoRequest, id job.ID) (*job.Job, error) {
	if kept, err := s.store.Job(ctx, tx, id); err == nil {
		return kept, nil // created by an earlier attempt at the request
	}
	of, err := s.store.LockJob(ctx, tx, r.JobID)
	if err != nil {
		return nil, err
	}
	parts, err := s.undoableParts(ctx, tx, r, of)
	if err != nil {
		return nil, err
	}
	own, err := s.store.Settings(ctx, tx)
	if err != nil {
		return nil, err
	}
	j := r.job(of, id)
	j.Plan = r.plan(&own)
	for _, part := range parts {
		j.Progress.TotalRows += int64(part.Changes)
		j.SizeBytes += part.Bytes
	}
	if r.Preview && j.Progress.TotalRows > undo.MaxPreviewChanges {
		return nil, problem.New(problem.PreviewTooLarge, "A preview covers at most %d changes, and this import has %d. Undo it in safe mode instead.", undo.MaxPreviewChanges, j.Progress.TotalRows)
	}
	if err := s.checkQuotaLocked(ctx, tx, j); err != nil {
		return nil, err
	}
	total := j.Progress.TotalRows
	if j, err = s.store.CreateJob(ctx, tx, j); err != nil {
		return nil, err
	}
	j.Progress.TotalRows = total
	if err := s.store.BeginUndo(ctx, tx, j, job.Undo{Of: of.ID, Mode: string(r.Mode)}); err != nil {
		return nil, err
	}
	return s.store.Job(ctx, tx, id)
}

// job returns the undo job of a job. No file is stored under its key.
func (r *UndoRequest) job(of *job.Job, id job.ID) *job.Job {
	return &job.Job{
		ID: id, OrganisationID: of.OrganisationID, RequestID: r.RequestID, ImportType: of.ImportType, ContextID: of.ContextID, Mode: of.Mode,
		AutoStart: true, WholeFile: true, SkipMapping: true, DryRun: r.Preview, Review: job.ReviewNever,
		Filename: of.Filename, ContentType: of.ContentType, ObjectKey: SourceKey(of.OrganisationID, id), UploadedAt: of.UploadedAt, Uploader: r.Uploader, Label: of.Label,
	}
}

// plan returns the plan settings of the undo; nil if it reverts the changes immediately. Like an
// import, an undo that changes more than the organisation's guards allow waits for approval.
func (r *UndoRequest) plan(own *settings.Settings) *job.Plan {
	undo := Request{ImportOptions: job.ImportOptions{DryRun: r.Preview}}
	return undo.plan(own)
}

// maxUndos is the maximum number of undos of a job that are loaded.
const maxUndos = 100

// undoableParts returns the parts of a job's changes, or the reason why they cannot be undone.
func (s *Service) undoableParts(ctx context.Context, tx pgx.Tx, r UndoRequest, of *job.Job) ([]changeset.PartInfo, error) {
	if err := noChangesReason(of); err != nil {
		return nil, err
	}
	undos, err := s.store.Undos(ctx, tx, of.ID, maxUndos)
	if err != nil {
		return nil, err
	}
	previewed := r.Preview || !r.Mode.RequiresPreview()
	for _, u := range undos {
		switch {
		case u.DryRun:
			previewed = previewed || u.Status == job.Completed && u.Undo.Mode == string(r.Mode)
		case r.Preview:
		case !u.Status.Terminal():
			return nil, problem.New(problem.UndoRunning, "The undo %s of this import is still running.", u.ID)
		case u.Status == job.Completed && u.Progress.Counts.Skipped == 0:
			stands, err := s.isEffective(ctx, tx, u)
			if err != nil {
				return nil, err
			}
			if stands {
				return nil, problem.New(problem.UndoDone, "All changes of this import were already undone by %s. That undo can itself be undone.", u.ID)
			}
		}
	}
	if !previewed {
		return nil, problem.New(problem.PreviewRequired, "This also reverts changes by other imports or users. Create a preview in the same mode first and review it.")
	}
	parts, err := s.store.ChangesNewestFirst(ctx, tx, of.Key)
	if err == nil && len(parts) == 0 {
		err = problem.New(problem.UndoNothing, "This import has no changes to undo.")
	}
	return parts, err
}

// noChangesReason returns the reason why no changes are stored for undo.
func noChangesReason(of *job.Job) error {
	switch of.WhyNotUndoable() {
	case "":
		return nil
	case job.UndoNotEnded:
		return problem.New(problem.StillRunning, "The import is not finished yet. Wait or cancel it.")
	case job.UndoNotApplied:
		return problem.New(problem.UndoNothing,
			"This import is a plan that was not applied, so there are no changes to undo.")
	case job.UndoDryRun, job.UndoNeverStarted:
		return problem.New(problem.UndoNothing, "This import has no changes to undo.")
	case job.UndoNotKept:
		return problem.New(problem.UndoExpired,
			"The changes of this import were not recorded, because undo is disabled in the organisation's settings.")
	default:
		return problem.New(problem.UndoExpired, "The changes of this import are no longer stored, so it cannot be undone.")
	}
}

// isEffective reports whether a completed undo has not been undone itself.
func (s *Service) isEffective(ctx context.Context, tx pgx.Tx, u *job.Job) (bool, error) {
	undos, err := s.store.Undos(ctx, tx, u.ID, maxUndos)
	if err != nil {
		return false, err
	}
	for _, again := range undos {
		if again.DryRun || again.Status != job.Completed {
			continue
		}
		if stands, err := s.isEffective(ctx, tx, again); err != nil || stands {
			return false, err
		}
	}
	return true, nil
}
