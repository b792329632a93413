// Package fetch downloads the file of an import from the URL that its caller specified, and
// stores it like an upload.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/organisation/quota"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// Backend is the database side of fetching. The fetching function cannot reach the database,
// because the database network has no internet access; StoreBackend runs in that network.
type Backend interface {
	// Begin returns the download of a job.
	Begin(ctx context.Context, ref job.Ref) (Download, error)
	// RecordSize saves the size of the file before the object exists, because the handler of the
	// object's event compares the object with it. false: the job no longer waits for its file.
	RecordSize(ctx context.Context, ref job.Ref, bytes int64) (wanted bool, err error)
	// HandleUploaded starts the job after its file has been stored.
	HandleUploaded(ctx context.Context, ref job.Ref) error
	// Release releases the organisation's slot of a download.
	Release(ctx context.Context, ref job.Ref, slot uuid.UUID) error
	// Fail ends the job.
	Fail(ctx context.Context, ref job.Ref, why job.Failure) error
}

// Download describes the file to fetch.
type Download struct {
	State State `json:"state"`
	// Address may contain a secret of the caller.
	Address     string `json:"address,omitempty"`
	ObjectKey   string `json:"objectKey,omitempty"`
	ContentType string `json:"contentType,omitempty"`
	// Slot is the organisation's slot for the download.
	Slot uuid.UUID `json:"slot,omitzero"`
}

// State is the progress of a download.
type State string

// Download states. The zero value means that the job no longer exists or waits for no file.
const (
	Wanted State = "WANTED"
	Stored State = "STORED" // the job has yet to be started
	Busy   State = "BUSY"   // the organisation has no free slot
)

// Queue accepts downloads for later.
type Queue interface {
	SendFetchLater(ctx context.Context, ref job.Ref, delay time.Duration) error
}

// Fetcher copies the content of an address.
type Fetcher interface {
	Copy(ctx context.Context, address string, to io.Writer) (int64, error)
}

// Objects creates files.
type Objects interface {
	Create(ctx context.Context, key, contentType string) object.Writer
}

// Step is the fetch function.
type Step struct {
	backend Backend
	queue   Queue
	fetcher Fetcher
	objects Objects
	log     *slog.Logger
}

// New returns the step.
func New(ledger Backend, queue Queue, fetcher Fetcher, objects Objects, log *slog.Logger) *Step {
	return &Step{backend: ledger, queue: queue, fetcher: fetcher, objects: objects, log: log}
}

// errNotWaiting ends a download when its job no longer waits for the file.
var errNotWaiting = errors.New("the job no longer waits for its file")

// Run fetches the file of a job and starts it. Errors of the address, its server or the file
// fail the job; other errors may be temporary and are returned. nil means that the message can
// be deleted.
func (s *Step) Run(ctx context.Context, ref job.Ref) error {
	ctx = telemetry.With(ctx, "job_id", ref.JobID, "organisation_id", ref.OrganisationID)
	order, err := s.backend.Begin(ctx, ref)
	if err != nil {
		return fmt.Errorf("fetch file of job %s: %w", ref.JobID, err)
	}
	switch order.State {
	case Stored:
	case Wanted:
		err = s.fetch(ctx, ref, order)
		s.release(ctx, ref, order.Slot)
	case Busy:
		return s.queue.SendFetchLater(ctx, ref, quota.SlotPause)
	default:
		s.log.InfoContext(ctx, "fetch skipped: job deleted or not waiting for a file")
		return nil
	}
	switch code := problem.CodeOf(err); {
	case errors.Is(err, errNotWaiting):
		s.log.InfoContext(ctx, "file no longer needed")
		return nil
	case code != "" && code != problem.Internal:
		why := problem.From(err)
		s.log.WarnContext(ctx, "fetch file failed", "code", why.Code, "error", why)
		return s.backend.Fail(ctx, ref, job.Failure{Code: string(why.Code), Message: why.Message})
	case err != nil:
		return fmt.Errorf("fetch file of job %s: %w", ref.JobID, err)
	}
	return s.backend.HandleUploaded(ctx, ref)
}

// release frees the slot at once; without it, the slot expires.
func (s *Step) release(ctx context.Context, ref job.Ref, slot uuid.UUID) {
	if err := s.backend.Release(ctx, ref, slot); err != nil {
		s.log.WarnContext(ctx, "release slot failed; it expires", "error", err)
	}
}

// Fail fails a job after all retries to fetch and store its file have failed.
func (s *Step) Fail(ctx context.Context, ref job.Ref) error {
	return s.backend.Fail(ctx, ref, job.Failure{Code: string(problem.FetchFailed), Message: "The file could not be fetched."})
}

// fetch downloads and stores the file.
func (s *Step) fetch(ctx context.Context, ref job.Ref, o Download) error {
	object := s.objects.Create(ctx, o.ObjectKey, o.ContentType)
	size, err := s.fetcher.Copy(ctx, o.Address, object)
	if err == nil && size == 0 {
		err = problem.New(problem.FileEmpty, "The file is empty.")
	}
	if err == nil {
		var wanted bool
		if wanted, err = s.backend.RecordSize(ctx, ref, size); err == nil && !wanted {
			err = errNotWaiting
		}
	}
	if err != nil {
		return object.Abort(err)
	}
	if err := object.Complete(); err != nil {
		return object.Abort(err)
	}
	s.log.InfoContext(ctx, "file fetched", "size_bytes", size)
	return nil
}
