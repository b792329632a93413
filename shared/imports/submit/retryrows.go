package submit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/organisation/settings"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// RetryStore finds the rows of a job that can be retried.
type RetryStore interface {
	NextFailedChunk(ctx context.Context, tx pgx.Tx, key job.Key, after int) (*job.Chunk, error)
	RowAttempts(ctx context.Context, tx pgx.Tx, of job.ID, first, last int64) ([]job.RowAttempt, error)
	Corrections(ctx context.Context, tx pgx.Tx, key job.Key, first, last int64) ([]job.Correction, error)
	BeginRetry(ctx context.Context, tx pgx.Tx, j, of *job.Job, chunks []job.Chunk) error
}

// RetryRequest is a request to retry rows of an ended job.
type RetryRequest struct {
	job.Ref   // the job
	RequestID string
	Key       string // the idempotency key, or ""
	Type      *entity.Declaration
	AllErrors bool   // all failed rows; otherwise those corrected since their last attempt
	Uploader  string // see Request
}

// Retry creates a job that retries failed rows of another one. It applies the same decisions
// about columns and values, keeps the row numbers, and asks nothing. Rows that another retry
// is about to write, or has written, are left out. It returns SOURCE_GONE if the file is no
// longer stored, and STATE_CONFLICT if no rows are left to retry.
func (s *Service) Retry(ctx context.Context, r RetryRequest) (*Accepted, error) {
	return s.createOnce(ctx, r.OrganisationID, r.Key, r.fingerprint(), func(id job.ID) (*Accepted, error) { return s.createRetry(ctx, r, id) })
}

// fingerprint is equal for equivalent requests.
func (r *RetryRequest) fingerprint() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "POST /api/imports/retry %s %v", r.JobID, r.AllErrors))
	return hex.EncodeToString(sum[:])
}

// createRetry carries out a request. It is safe to repeat with the same id.
func (s *Service) createRetry(ctx context.Context, r RetryRequest, id job.ID) (*Accepted, error) {
	first, err := s.readBody(ctx, r.Ref)
	if err != nil {
		return nil, err
	}
	if err := CheckRetryable(first, r.Type); err != nil {
		return nil, err
	}
	if err := s.checkFileUnchanged(ctx, first); err != nil {
		return nil, err
	}
	var j *job.Job
	err = s.store.InOrganisation(ctx, r.OrganisationID, func(tx pgx.Tx) (err error) {
		j, err = s.storeRetry(ctx, tx, r, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := s.startExecution(ctx, j); err != nil {
		return nil, err
	}
	s.log.InfoContext(telemetry.WithJob(ctx, j), "retry accepted", "retry_of", j.RetryOf, "rows", j.Progress.TotalRows)
	return &Accepted{Job: j}, nil
}

// CheckRetryable rejects a job if its rows cannot be retried individually.
func CheckRetryable(j *job.Job, d *entity.Declaration) error {
	if j.Status == job.AwaitingApproval {
		return errStillRunning()
	}
	return CheckCorrectable(j, d)
}

func errStillRunning() error {
	return problem.New(problem.StillRunning, "The import is not finished yet.")
}

// CheckCorrectable rejects a job if its rows cannot be corrected individually. Those of a plan that waits
// for approval can: once it is applied, a retry writes them.
func CheckCorrectable(j *job.Job, d *entity.Declaration) error {
	switch {
	case j.RowRetry:
		return problem.New(problem.StateConflict, "This import retries rows of import %s. Correct its rows there.", j.RetryOf)
	case j.Undo != nil:
		return problem.New(problem.StateConflict, "This is the undo of import %s. It has no rows to retry.", j.Undo.Of)
	case !j.Status.Terminal() && j.Status != job.AwaitingApproval:
		return errStillRunning()
	case d.NoRetryReason != "":
		return problem.New(problem.StateConflict, "Single rows of this import cannot be retried: %s Correct the file and import it again.", d.NoRetryReason)
	}
	return nil
}

// fileGone is the message for a file that can no longer be read.
const fileGone = "The file of this import was deleted."

// checkFileUnchanged rejects a job if its file was deleted or replaced.
func (s *Service) checkFileUnchanged(ctx context.Context, j *job.Job) error {
	if j.FilesDue {
		return problem.New(problem.SourceGone, fileGone)
	}
	info, err := s.objects.Head(ctx, j.ObjectKey)
	switch {
	case problem.CodeOf(err) == problem.UploadMissing:
		return problem.Wrap(err, problem.SourceGone, fileGone)
	case err != nil:
		return err
	case j.ObjectETag != "" && info.ETag != j.ObjectETag:
		return problem.New(problem.SourceChanged, "%s", object.SourceChangedMessage)
	}
	return nil
}

// storeRetry stores the job under a lock that keeps others from retrying the same rows.
func (s *Service) storeRetry(ctx context.Context, tx pgx.Tx, r RetryRequest, id job.ID) (*job.Job, error) {
	if kept, err := s.store.Job(ctx, tx, id); err == nil {
		return kept, nil // created by an earlier attempt at the request
	}
	first, err := s.store.LockJob(ctx, tx, r.JobID)
	if err != nil {
		return nil, err
	}
	chunks, err := s.openChunks(ctx, tx, first, r.AllErrors)
	if err != nil {
		return nil, err
	}
	if len(chunks) == 0 {
		return nil, nothingToRetry(r.AllErrors)
	}
	own, err := s.store.Settings(ctx, tx)
	if err != nil {
		return nil, err
	}
	j := r.job(first, id)
	j.Plan = r.plan(first, &own)
	if err := s.checkQuotaLocked(ctx, tx, j); err != nil {
		return nil, err
	}
	if j, err = s.store.CreateJob(ctx, tx, j); err != nil {
		return nil, err
	}
	if r.Type.BatchUploads != nil && !j.DryRun {
		if err := s.store.AssignBatchNumber(ctx, tx, j, r.Uploader, false); err != nil {
			return nil, err
		}
	}
	if j.WholeFile && j.Plan != nil {
		chunks = joinChunks(chunks)
	}
	if err := s.store.BeginRetry(ctx, tx, j, first, chunks); err != nil {
		return nil, err
	}
	return s.store.Job(ctx, tx, id)
}

func nothingToRetry(all bool) error {
	if all {
		return problem.New(problem.StateConflict, "No failed rows are left to retry.")
	}
	return problem.New(problem.StateConflict, "No failed rows were corrected since the last retry. Correct rows first, or retry all failed rows.")
}

// job returns the retry job of a job.
func (r *RetryRequest) job(of *job.Job, id job.ID) *job.Job {
	return &job.Job{
		ID: id, OrganisationID: of.OrganisationID, RequestID: r.RequestID, ImportType: of.ImportType, TypeVersion: of.TypeVersion, ContextID: of.ContextID, Mode: of.Mode,
		AutoStart: true, WholeFile: of.WholeFile, SkipMapping: of.WholeFile, DryRun: of.DryRun, RetryOf: of.ID, Options: of.Options,
		Filename: of.Filename, ContentType: of.ContentType, ObjectKey: of.ObjectKey, ObjectETag: of.ObjectETag, SizeBytes: of.SizeBytes, SHA256: of.SHA256,
		UploadedAt: of.UploadedAt, Uploader: r.Uploader, StatedOptions: of.StatedOptions, OptionDefaults: of.OptionDefaults,
	}
}

// plan returns the plan settings of the retry: those of the original job, with the current
// guards of its organisation.
func (r *RetryRequest) plan(of *job.Job, own *settings.Settings) *job.Plan {
	again := Request{Type: r.Type, ImportOptions: job.ImportOptions{DryRun: of.DryRun}}
	if of.Plan != nil {
		again.Plan, again.Approval, again.Guards = of.Plan.Requested, of.Plan.Approval, &of.Plan.Guards
	}
	return again.plan(own)
}

// openChunks returns the ledger entries of a job that have rows to retry. The outcomes of
// those rows are Pending, and all others are Blank.
func (s *Service) openChunks(ctx context.Context, tx pgx.Tx, j *job.Job, all bool) (chunks []job.Chunk, err error) {
	for after := -1; ; {
		c, err := s.store.NextFailedChunk(ctx, tx, j.Key, after)
		if err != nil || c == nil {
			return chunks, err
		}
		after = c.Index
		wanted, err := s.retryOutcomes(ctx, tx, j, c, all)
		if err != nil {
			return nil, err
		}
		if wanted != nil {
			again := *c
			again.Index, again.Done, again.Outcomes = len(chunks), false, wanted
			chunks = append(chunks, again)
		}
	}
}

// joinChunks merges several ledger entries into one: the plan of a file that is processed as
// a whole has a single entry.
func joinChunks(chunks []job.Chunk) []job.Chunk {
	all, last := chunks[0], chunks[len(chunks)-1]
	all.Lines, all.Rows = int(last.FirstRow+int64(last.Lines)-all.FirstRow), 0
	all.Outcomes = bytes.Repeat([]byte{byte(rowwrite.Blank)}, all.Lines)
	for _, c := range chunks {
		copy(all.Outcomes[c.FirstRow-all.FirstRow:], c.Outcomes)
		all.Rows += c.Rows
	}
	return []job.Chunk{all}
}

// retryOutcomes returns the outcomes of a ledger entry for a retry; nil if none of its rows
// is to be retried.
func (s *Service) retryOutcomes(ctx context.Context, tx pgx.Tx, j *job.Job, c *job.Chunk, all bool) ([]byte, error) {
	last := c.FirstRow + int64(c.Lines) - 1
	attempts, err := s.store.RowAttempts(ctx, tx, j.ID, c.FirstRow, last)
	if err != nil {
		return nil, err
	}
	fresh := make(map[int64]bool)
	if !all {
		corrections, err := s.store.Corrections(ctx, tx, j.Key, c.FirstRow, last)
		if err != nil {
			return nil, err
		}
		for _, correction := range corrections {
			if !correction.Applied {
				fresh[correction.Row] = true
			}
		}
	}
	outcomes, brings := make([]byte, len(c.Outcomes)), false
	for i, o := range c.Outcomes {
		outcomes[i] = byte(rowwrite.Blank)
		row := c.FirstRow + int64(i)
		if (all || fresh[row]) && job.IsOpenError(rowwrite.Outcome(o), attempts, row) {
			outcomes[i], brings = byte(rowwrite.Pending), true
		}
	}
	if !brings {
		return nil, nil
	}
	return outcomes, nil
}
