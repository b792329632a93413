package submit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

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
	LockRetries(ctx context.Context, tx pgx.Tx, of job.ID) error
	Retries(ctx context.Context, tx pgx.Tx, of job.ID, limit int) ([]*job.Job, error)
	ChangesNewestFirst(ctx context.Context, tx pgx.Tx, keys ...job.Key) ([]changeset.PartInfo, error)
}

// UndoRequest is a request to undo the changes of a job.
type UndoRequest struct {
	job.Ref   // the job
	RequestID string
	Key       string // the idempotency key, or ""
	Mode      undo.Mode
	Preview   bool   // undoes nothing; reports the outcome of each change
	Retries   bool   // undoes the retries of the job as well, which may have changed what the job wrote
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
	text := fmt.Appendf(nil, "POST /api/imports/undo %s %s %v", r.JobID, r.Mode, r.Preview)
	if r.Retries {
		text = append(text, " retries"...)
	}
	sum := sha256.Sum256(text)
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
	s.log.InfoContext(telemetry.WithJob(ctx, j), "undo accepted", "undo_of", r.JobID, "mode", r.Mode, "preview", r.Preview, "retries", len(j.Undo.Retries), "changes", j.Progress.TotalRows)
	return &Accepted{Job: j}, nil
}

// storeUndo stores the job under locks that prevent another undo of the same jobs.
func (s *Service) storeUndo(ctx context.Context, tx pgx.Tx, r UndoRequest, id job.ID) (*job.Job, error) {
	if kept, err := s.store.Job(ctx, tx, id); err == nil {
		return kept, nil // created by an earlier attempt at the request
	}
	of, err := s.store.LockJob(ctx, tx, r.JobID)
	if err != nil {
		return nil, err
	}
	targets, err := s.undoTargets(ctx, tx, r, of)
	if err != nil {
		return nil, err
	}
	own, err := s.store.Settings(ctx, tx)
	if err != nil {
		return nil, err
	}
	j, undo := r.job(of, id), targets.undo(r.Mode)
	j.Plan, j.SizeBytes = r.plan(&own), targets.bytes
	if err := s.checkUndoPreview(ctx, tx, r, undo, targets.changes); err != nil {
		return nil, err
	}
	if err := s.checkQuotaLocked(ctx, tx, j); err != nil {
		return nil, err
	}
	if j, err = s.store.CreateJob(ctx, tx, j); err != nil {
		return nil, err
	}
	j.Progress.TotalRows = targets.changes
	if err := s.store.BeginUndo(ctx, tx, j, undo); err != nil {
		return nil, err
	}
	return s.store.Job(ctx, tx, id)
}

// job returns the undo job of a job. No file is stored under its key.
func (r *UndoRequest) job(of *job.Job, id job.ID) *job.Job {
	return &job.Job{
		ID: id, OrganisationID: of.OrganisationID, RequestID: r.RequestID, ImportType: of.ImportType, TypeVersion: of.TypeVersion, ContextID: of.ContextID, Mode: of.Mode,
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

// checkUndoable returns the reason why the changes of a job cannot be undone.
func (s *Service) checkUndoable(ctx context.Context, tx pgx.Tx, of *job.Job) error {
	if err := noChangesReason(of); err != nil {
		return err
	}
	undos, err := s.store.Undos(ctx, tx, of.ID, maxUndos)
	if err != nil {
		return err
	}
	for _, u := range undos {
		switch {
		case u.DryRun:
		case !u.Status.Terminal():
			return problem.New(problem.UndoRunning, "The undo %s of this import is still running.", u.ID)
		case u.Status == job.Completed && u.Progress.Counts.Skipped == 0:
			stands, err := s.isEffective(ctx, tx, u)
			if err != nil {
				return err
			}
			if stands {
				return problem.New(problem.UndoDone, "All changes of this import were already undone by %s. That undo can itself be undone.", u.ID)
			}
		}
	}
	return nil
}

// checkUndoPreview checks that an undo is small enough for a preview, or that it has been previewed if
// its mode requires that: in the same mode, and with the same retries.
func (s *Service) checkUndoPreview(ctx context.Context, tx pgx.Tx, r UndoRequest, u job.Undo, changes int64) error {
	switch {
	case r.Preview && changes > undo.MaxPreviewChanges:
		return problem.New(problem.PreviewTooLarge, "A preview covers at most %d changes, and this import has %d. Undo it in safe mode instead.", undo.MaxPreviewChanges, changes)
	case r.Preview || !r.Mode.RequiresPreview():
		return nil
	}
	undos, err := s.store.Undos(ctx, tx, u.Of, maxUndos)
	if err != nil {
		return err
	}
	for _, p := range undos {
		if p.DryRun && p.Status == job.Completed && p.Undo.Mode == u.Mode && slices.Equal(p.Undo.Jobs(), u.Jobs()) {
			return nil
		}
	}
	return problem.New(problem.PreviewRequired, "This also reverts changes by other imports or users. Create a preview in the same mode first and review it.")
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
