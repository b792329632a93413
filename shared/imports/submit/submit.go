// Package submit accepts imports, whichever way they come: it checks the
// request, gives the job its id, keeps the file and the job, and starts the
// execution.
//
// The order of its writes makes a crash between any two of them harmless:
//
//	file in the request   object → job → execution
//	file in the bucket    job → execution
//	file still to come    job → address for the upload … object → Arrived → execution
//
// An object without a job is dead weight that the bucket's lifecycle removes. A
// job without an execution is found by its repetition (the idempotency key fixes
// the job's id beforehand), by the object's event, or by reconcile. The
// execution's name is the job's id, so starting it twice is starting it once.
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
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// Store is the database: what each part of the service asks of it is declared there.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
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

// JobStore makes jobs, and finds them.
type JobStore interface {
	CreateJob(ctx context.Context, tx pgx.Tx, j *job.Job) (*job.Job, error)
	AddSuppliedMapping(ctx context.Context, tx pgx.Tx, j *job.Job, document json.RawMessage) error
	SaveSourceURL(ctx context.Context, tx pgx.Tx, j *job.Job, url string) error
	AssignBatchNumber(ctx context.Context, tx pgx.Tx, j *job.Job, uploader string, oncePerFile bool) error
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
}

// Starter starts executions.
type Starter interface {
	Start(ctx context.Context, ref job.Ref) error
}

// Limits bound what is accepted.
type Limits struct {
	FileBytes      int64         `env:"MAX_FILE_BYTES" default:"524288000"`        // of any file
	MultipartAbove int64         `env:"MULTIPART_ABOVE_BYTES" default:"104857600"` // larger files are sent in parts
	PartBytes      int64         `env:"PART_BYTES" default:"16777216"`             // of such a file, except the last one
	UploadLifetime time.Duration `env:"UPLOAD_LIFETIME" default:"1h"`              // how long an address for an upload is good
	// MailFrom is whom mail about imports is from; "": none is sent, and nobody can be named.
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
	fetchQueue FetchQueue // nil where no request names a source
}

// New returns a service. keys may be nil where no request carries an
// idempotency key.
func New(store Store, objects Objects, starter Starter, keys IdempotencyKeys, recorder job.Recorder, limits Limits, log *slog.Logger) (*Service, error) {
	if limits.FileBytes <= 0 || limits.UploadLifetime <= 0 || limits.PartBytes < minPartBytes || limits.MultipartAbove < limits.PartBytes {
		return nil, fmt.Errorf("submit: limits %+v make no sense", limits)
	}
	if err := limits.Quotas.Validate(); err != nil {
		return nil, fmt.Errorf("submit: %w", err)
	}
	return &Service{store: store, objects: objects, starter: starter, keys: keys, recorder: recorder, limits: limits, log: log}, nil
}

// Request is one import to be accepted.
type Request struct {
	OrganisationID tenant.ID
	RequestID      string
	// Endpoint distinguishes requests with the same content to different endpoints.
	Endpoint string
	// Key is the idempotency key, or "".
	Key string

	Type      *entity.Declaration
	ContextID *int64
	// ContextName is what the interface that was used calls the context; "" is contextId.
	ContextName string
	Mode        entity.Mode // "": the type's default
	// Options are those of the file, a JSON object, or nil.
	Options json.RawMessage
	// Mapping says what columns and values are: package document; or nil.
	Mapping   json.RawMessage
	AutoStart bool
	// SkipMapping makes an import whose file is read as one go past what is asked about
	// columns and values; nil: if AutoStart.
	SkipMapping *bool
	// Review says when a person is asked about columns; "" for what is usual.
	Review   job.Review
	DryRun   bool
	Planning PlanOptions
	// Profile is the name of the profile that the file is read by, or "".
	Profile string
	// ProfileFromFolder says that the folder which the file was dropped in names it.
	ProfileFromFolder bool
	// RetryOf is the job whose failed rows this one brings again, or "".
	RetryOf job.ID
	File    File
	// Source is the address from which the file is fetched, or "". Of File only
	// the name counts then, which may be missing.
	SourceURL string
	// Object is the object that is the file already, or nil.
	Object *Object
	// Uploader is who asks, as the token names them.
	Uploader string
	// Label is the caller's own word for the import.
	Label string
	// MaxErrors ends it early; "": as the organisation's settings have it.
	MaxErrors job.ErrorLimit
	// Notify are the mail addresses that are told when it waits or has ended.
	Notify []string
	// OncePerFile refuses a file that another upload has which is numbered: FILE_REPEATED.
	OncePerFile bool

	modeOmitted bool      // whether Mode was left out
	planned     *job.Plan // see plan
}

// Object is a file that is in the bucket before its job is made.
type Object struct {
	JobID job.ID // the same for every event of the object: it has one job
	Key   string
	ETag  string // as object.Info has it
}

// File is what the caller says of the file, with its content if it has come
// with the request.
type File struct {
	Name        string // a label, never a path
	ContentType string
	Size        int64
	SHA256      string // hex, or ""
	Body        []byte // nil: it is still to come
}

// Accepted is an import that has been taken on.
type Accepted struct {
	Job *job.Job
	// Upload says where the file is to be sent; nil when it is there.
	Upload *Upload
	// Repeated says that an earlier request with the same key made the job.
	Repeated bool
	// KeyExpiresAt is when the key is forgotten; zero without one.
	KeyExpiresAt time.Time
}

// Accept takes on an import, once for each idempotency key.
func (s *Service) Accept(ctx context.Context, r Request) (*Accepted, error) {
	if err := s.check(&r); err != nil {
		return nil, err
	}
	if r.Object != nil {
		return s.createJob(ctx, r, r.Object.JobID)
	}
	fresh, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("new job id: %w", err)
	}
	id := job.ID(fresh.String())
	if r.Key == "" {
		return s.createJob(ctx, r, id)
	}
	return s.withKey(ctx, r, id)
}

// createJob carries out a request. It is safe to repeat with the same id.
func (s *Service) createJob(ctx context.Context, r Request, id job.ID) (*Accepted, error) {
	if err := s.checkContext(ctx, r); err != nil {
		return nil, err
	}
	if err := s.checkRetryOf(ctx, r); err != nil {
		return nil, err
	}
	if err := s.resolveOptions(ctx, &r); err != nil {
		return nil, err
	}
	profile, err := s.applyProfile(ctx, &r)
	if err != nil {
		return nil, err
	}
	if err := s.applyDefaults(ctx, &r); err != nil {
		return nil, err
	}
	j := r.job(id)
	if r.File.Body != nil {
		if err := s.checkQuotaUnlocked(ctx, j); err != nil {
			return nil, err
		}
		if err := s.objects.PutIfAbsent(ctx, j.ObjectKey, j.ContentType, r.File.Body); err != nil {
			return nil, fmt.Errorf("keep file of job %s: %w", id, err)
		}
	}
	err = s.store.InOrganisation(ctx, r.OrganisationID, func(tx pgx.Tx) (err error) {
		if err = s.checkQuotaLocked(ctx, tx, j); err != nil {
			return err
		}
		if j, err = s.storeFile(ctx, tx, r, j); err != nil {
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

// storeFile stores the job with all that has to be found if the request dies afterwards:
// what its columns are, where its file is fetched from, and its number.
func (s *Service) storeFile(ctx context.Context, tx pgx.Tx, r Request, j *job.Job) (*job.Job, error) {
	j, err := s.store.CreateJob(ctx, tx, j)
	if err == nil && r.Mapping != nil {
		err = s.store.AddSuppliedMapping(ctx, tx, j, r.Mapping)
	}
	if err == nil && r.SourceURL != "" {
		err = s.store.SaveSourceURL(ctx, tx, j, r.SourceURL)
	}
	if err == nil && r.isNumbered() {
		err = s.store.AssignBatchNumber(ctx, tx, j, r.Uploader, r.OncePerFile)
	}
	return j, err
}

// isNumbered reports whether the job is one of its day's uploads, by whatever way it
// comes. A dry run is none: nothing comes of it, and the file is still to be imported.
func (r *Request) isNumbered() bool { return r.Type.BatchUploads != nil && !r.DryRun }

// startExecution starts the execution of a job that has not moved yet.
func (s *Service) startExecution(ctx context.Context, j *job.Job) error {
	if j.Status != job.Uploaded {
		return nil
	}
	return s.starter.Start(ctx, job.Ref{JobID: j.ID, OrganisationID: j.OrganisationID})
}

// job is the job that the request makes under that id.
func (r *Request) job(id job.ID) *job.Job {
	j := &job.Job{
		ID: id, OrganisationID: r.OrganisationID, RequestID: r.RequestID,
		ImportType: r.Type.Name, ContextID: r.ContextID, Mode: job.WriteMode(r.Mode),
		AutoStart: r.AutoStart, Review: r.review(), WholeFile: r.Type.WholeFile, SkipMapping: r.skipsMapping(), DryRun: r.DryRun, Plan: r.planned, RetryOf: r.RetryOf, Options: r.Options,
		Filename: r.File.Name, ContentType: r.File.ContentType, SizeBytes: r.File.Size, SHA256: r.File.SHA256,
		ObjectKey: SourceKey(r.OrganisationID, id), Uploader: r.Uploader, Label: r.Label, MaxErrors: r.MaxErrors, Notify: r.Notify,
	}
	if r.Object != nil {
		j.ObjectKey, j.ObjectETag = r.Object.Key, r.Object.ETag
	}
	if r.File.Body != nil || r.Object != nil {
		now := time.Now() // says only that the file is there: the database sets its own time
		j.UploadedAt = &now
	}
	return j
}

// review is when a person is asked about columns.
func (r *Request) review() job.Review {
	switch {
	case r.AutoStart:
		return job.ReviewNever
	case r.Review == "":
		return job.ReviewUnsure
	}
	return r.Review
}
