// Package submit accepts imports from all entry points: it checks the request, assigns the
// job its id, stores the file and the job, and starts the execution.
//
// The order of its writes makes a crash between any two of them harmless:
//
//	file in the request   object → job → execution
//	file in the bucket    job → execution
//	file still to come    job → address for the upload … object → HandleUploaded → execution
//
// An object without a job is removed by the bucket's lifecycle. A job without an execution
// is found by a repetition of the request (the idempotency key fixes the job's id
// beforehand), by the object's event, or by reconcile. The execution is named after the
// job's id, so starting it twice has no effect.
package submit

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/quota"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// Store is the database; each file of this package declares the methods it needs.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	// InSnapshot is InOrganisation for reading only.
	InSnapshot(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	JobStore
	UploadStore
	PartUploads
	ReferenceStore
	QuotaStore
	RetryStore
	UndoStore
	ProfileStore
	SettingsStore
}

// JobStore creates and finds jobs.
type JobStore interface {
	CreateJob(ctx context.Context, tx pgx.Tx, j *job.Job) (*job.Job, error)
	AddSuppliedMapping(ctx context.Context, tx pgx.Tx, j *job.Job, document json.RawMessage) error
	SaveSourceURL(ctx context.Context, tx pgx.Tx, j *job.Job, url string) error
	AssignBatchNumber(ctx context.Context, tx pgx.Tx, j *job.Job, uploader string, oncePerFile bool) error
	BatchBeingUndone(ctx context.Context, tx pgx.Tx, importType, sha256 string) (string, error)
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
}

// Starter starts executions.
type Starter interface {
	Start(ctx context.Context, ref job.Ref) error
}

// Limits are the limits of accepted imports.
type Limits struct {
	FileBytes      int64         `env:"MAX_FILE_BYTES" default:"524288000"`        // maximum size of a file
	MultipartAbove int64         `env:"MULTIPART_ABOVE_BYTES" default:"104857600"` // larger files are sent in parts
	PartBytes      int64         `env:"PART_BYTES" default:"16777216"`             // size of a part, except the last one
	UploadLifetime time.Duration `env:"UPLOAD_LIFETIME" default:"1h"`              // validity of an upload address
	// MailFrom is the sender of mails about imports; "": no mail is sent, and requests cannot
	// name recipients.
	MailFrom string `env:"MAIL_FROM"`
	Quotas   quota.Limits
}

// Service accepts imports.
type Service struct {
	store      Store
	objects    Objects
	starter    Starter
	keys       IdempotencyKeys
	recorder   job.Recorder
	limits     Limits
	log        *slog.Logger
	fetchQueue FetchQueue // nil if requests cannot contain a source URL
}

// New returns a service. keys may be nil if no request carries an idempotency key.
func New(store Store, objects Objects, starter Starter, keys IdempotencyKeys, recorder job.Recorder, limits Limits, log *slog.Logger) (*Service, error) {
	if limits.FileBytes <= 0 || limits.UploadLifetime <= 0 || limits.PartBytes < minPartBytes || limits.MultipartAbove < limits.PartBytes {
		return nil, fmt.Errorf("submit: invalid limits %+v", limits)
	}
	if err := limits.Quotas.Validate(); err != nil {
		return nil, fmt.Errorf("submit: %w", err)
	}
	return &Service{store: store, objects: objects, starter: starter, keys: keys, recorder: recorder, limits: limits, log: log}, nil
}

// Request is a request for an import.
type Request struct {
	OrganisationID tenant.ID
	RequestID      string
	// Endpoint distinguishes requests with the same content to different endpoints.
	Endpoint string
	// Key is the idempotency key, or "".
	Key string

	Type      *entity.Declaration
	ContextID *int64
	// ContextName is the name of the context parameter in the interface used; "" is contextId.
	ContextName string
	// Options are the reading options and the type's options, a JSON object, or nil.
	Options json.RawMessage
	// Mapping is the mapping of columns and values (package document), or nil.
	Mapping json.RawMessage
	job.ImportOptions
	// Unattended means that nobody is asked unless the request wants it.
	Unattended bool
	// ProfileFromFolder reports that the drop folder of the file determined the profile.
	ProfileFromFolder bool
	File              File
	// SourceURL is the URL from which the file is fetched, or "". Of File, only the name is then
	// used, which may be empty.
	SourceURL string
	// Object is the stored object that contains the file, or nil.
	Object *Object
	// Uploader is the caller as named by the token.
	Uploader string
	// Contributors are other names of those who determined the file: see AddContributor.
	Contributors []string
	// OncePerFile rejects a file that a numbered upload already contains: FILE_REPEATED, or UNDO_RUNNING
	// while that upload is being undone.
	OncePerFile bool

	modeOmitted bool              // whether the request had no Mode
	oneShot     bool              // see StartsAutomatically
	planned     *job.Plan         // see plan
	defaults    job.StoredOptions // the organisation's
}

// Object is a file that is in the bucket before its job is created.
type Object struct {
	JobID job.ID // equal for every event of the object, which has a single job
	Key   string
	ETag  string // as in object.Info
}

// File describes the file as the caller does, with its content if the request contains it.
type File struct {
	Name        string // a label, never a path
	ContentType string
	Size        int64
	SHA256      string // hex, or ""
	Body        []byte // nil: to be uploaded
}

// Accepted is an import that has been accepted.
type Accepted struct {
	Job *job.Job
	// Upload describes where to send the file; nil if it is stored already.
	Upload *Upload
	// Repeated reports that an earlier request with the same key created the job.
	Repeated bool
	// KeyExpiresAt is when the key expires; zero without a key.
	KeyExpiresAt time.Time
}

// Accept accepts an import, once for each idempotency key and each version of an object.
func (s *Service) Accept(ctx context.Context, r Request) (*Accepted, error) {
	if r.Object != nil {
		return s.acceptObject(ctx, r)
	}
	if err := s.check(&r); err != nil {
		return nil, err
	}
	fresh, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("create job ID: %w", err)
	}
	id := job.ID(fresh.String())
	if r.Key == "" {
		return s.createJob(ctx, r, id)
	}
	return s.withKey(ctx, r, id)
}

// acceptObject accepts the import of an object. If an earlier event of the same version has created
// it, that import is returned, also if the organisation would reject it today, and started if that
// failed.
func (s *Service) acceptObject(ctx context.Context, r Request) (*Accepted, error) {
	ref := job.Ref{JobID: r.Object.JobID, OrganisationID: r.OrganisationID}
	err := s.check(&r)
	if err == nil {
		var accepted *Accepted
		if accepted, err = s.createJob(ctx, r, ref.JobID); err == nil {
			return accepted, nil
		}
	}
	if problem.CodeOf(err) == problem.FileRepeated {
		err = s.whyRepeated(ctx, r, err)
	}
	if problem.CodeOf(err) == problem.Internal {
		return nil, err
	}
	j, lost := s.readBody(ctx, ref)
	switch {
	case problem.CodeOf(lost) == problem.NotFound:
		return nil, err
	case lost != nil:
		return nil, lost
	}
	return &Accepted{Job: j, Repeated: true}, s.startExecution(ctx, j)
}

// whyRepeated returns UNDO_RUNNING if the batch that contains the file of a request is being undone, and
// otherwise the error of the repeated file.
func (s *Service) whyRepeated(ctx context.Context, r Request, repeated error) error {
	var batch string
	err := s.store.InSnapshot(ctx, r.OrganisationID, func(tx pgx.Tx) (err error) {
		batch, err = s.store.BatchBeingUndone(ctx, tx, r.Type.Name, r.File.SHA256)
		return err
	})
	switch {
	case err != nil:
		return err
	case batch != "":
		return problem.New(problem.UndoRunning, "The batch %s with this file is being undone. Retry this file when that undo has ended.", batch)
	}
	return repeated
}

// createJob carries out a request. It is safe to repeat with the same id.
func (s *Service) createJob(ctx context.Context, r Request, id job.ID) (*Accepted, error) {
	requested, profile, err := s.admit(ctx, r, id)
	if err != nil {
		return nil, err
	}
	if r.File.Body != nil {
		if err := s.objects.PutIfAbsent(ctx, requested.ObjectKey, requested.ContentType, r.File.Body); err != nil {
			return nil, fmt.Errorf("store file of job %s: %w", id, err)
		}
	}
	var j *job.Job
	err = s.store.InOrganisation(ctx, r.OrganisationID, func(tx pgx.Tx) (err error) {
		if err = s.checkFileQuotaLocked(ctx, tx, requested, &r); err != nil {
			return err
		}
		if j, err = s.storeFile(ctx, tx, r, requested); err != nil {
			return err
		}
		return s.useProfile(ctx, tx, j, profile)
	})
	if err != nil {
		return nil, err
	}
	accepted := &Accepted{Job: j}
	switch {
	case r.File.Body != nil, r.Object != nil:
		err = s.startExecution(ctx, j)
	case r.SourceURL != "":
		err = s.queueFetch(ctx, j)
	default:
		accepted.Upload, err = s.newUpload(ctx, j)
	}
	if err != nil {
		return nil, err
	}
	s.log.InfoContext(telemetry.WithJob(ctx, j), "import accepted", "size_bytes", j.SizeBytes, "file_to_come", accepted.Upload != nil)
	return accepted, nil
}

// storeFile stores the job with everything needed if the request fails afterwards: its
// mapping, the URL from which its file is fetched, and its batch number.
func (s *Service) storeFile(ctx context.Context, tx pgx.Tx, r Request, j *job.Job) (*job.Job, error) {
	j, err := s.store.CreateJob(ctx, tx, j)
	if err == nil && r.Mapping != nil {
		err = s.store.AddSuppliedMapping(ctx, tx, j, r.Mapping)
	}
	if err == nil && r.SourceURL != "" {
		err = s.store.SaveSourceURL(ctx, tx, j, r.SourceURL)
	}
	for _, name := range r.Contributors {
		if err == nil {
			err = s.store.AddContributor(ctx, tx, j.Key, name)
		}
	}
	if err == nil && r.isNumbered() {
		err = s.store.AssignBatchNumber(ctx, tx, j, r.Uploader, r.OncePerFile)
	}
	return j, err
}

// isNumbered reports whether the job gets a batch number, regardless of its entry point. A
// dry run gets none: it has no effect, and its file is still to be imported.
func (r *Request) isNumbered() bool { return r.Type.BatchUploads != nil && !r.DryRun }

// startExecution starts the execution of a job that is still in its first status.
func (s *Service) startExecution(ctx context.Context, j *job.Job) error {
	if j.Status != job.Uploaded {
		return nil
	}
	return s.starter.Start(ctx, job.Ref{JobID: j.ID, OrganisationID: j.OrganisationID})
}

// job returns the job that the request creates under that id.
func (r *Request) job(id job.ID) *job.Job {
	j := &job.Job{
		ID: id, OrganisationID: r.OrganisationID, RequestID: r.RequestID,
		ImportType: r.Type.Name, TypeVersion: r.Type.Version, ContextID: r.ContextID, Mode: r.Mode,
		AutoStart: r.oneShot, Review: r.review(), WholeFile: r.Type.WholeFile, SkipMapping: r.skipsMapping(), DryRun: r.DryRun, Plan: r.planned, RetryOf: r.RetryOf, Options: r.Options,
		Filename: r.File.Name, ContentType: r.File.ContentType, SizeBytes: r.File.Size, SHA256: r.File.SHA256,
		ObjectKey: SourceKey(r.OrganisationID, id), Uploader: r.Uploader, Label: r.Label, MaxErrors: r.MaxErrors, Notify: r.Notify,
		StatedOptions: r.StoredOptions, OptionDefaults: r.defaults,
	}
	if r.Object != nil {
		j.ObjectKey, j.ObjectETag = r.Object.Key, r.Object.ETag
	}
	if r.File.Body != nil || r.Object != nil {
		now := time.Now() // only marks the file as stored: the database sets its own time
		j.UploadedAt = &now
	}
	return j
}

// review returns when a person is asked about columns.
func (r *Request) review() job.Review {
	switch {
	case r.oneShot:
		return job.ReviewNever
	case r.Review == "":
		return job.ReviewUnsure
	}
	return r.Review
}
