// Package fetch gets the file of an import from the address that its caller
// named, and stores it as if it had been uploaded.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// Backend is the database's side of fetching. The function that fetches has no way to the
// database, as the database's network has none to the internet (Books keeps it).
type Backend interface {
	// Begin returns what is to be fetched for a job.
	Begin(ctx context.Context, ref job.Ref) (Download, error)
	// Measured notes the size of the file, before it exists: who hears of the object holds
	// it against that size. false: the job does not wait for its file any more.
	RecordSize(ctx context.Context, ref job.Ref, bytes int64) (wanted bool, err error)
	// Arrived starts the job, whose file is stored.
	HandleUploaded(ctx context.Context, ref job.Ref) error
	// Fail ends the job.
	Fail(ctx context.Context, ref job.Ref, why job.Failure) error
}

// Download is what is to be fetched.
type Download struct {
	State State `json:"state"`
	// Address may hold a secret of the caller's.
	Address     string `json:"address,omitempty"`
	ObjectKey   string `json:"objectKey,omitempty"`
	ContentType string `json:"contentType,omitempty"`
}

// State is how far the fetching of a file is.
type State string

// The states. The zero value is that of a job that is gone or waits for no file.
const (
	Wanted State = "WANTED"
	Stored State = "STORED" // what is left is to start the job
)

// Fetcher writes what is at an address.
type Fetcher interface {
	Copy(ctx context.Context, address string, to io.Writer) (int64, error)
}

// Objects begins files.
type Objects interface {
	Create(ctx context.Context, key, contentType string) object.Writer
}

// Step is the fetch function.
type Step struct {
	backend Backend
	fetcher Fetcher
	objects Objects
	log     *slog.Logger
}

// New returns the step.
func New(ledger Backend, fetcher Fetcher, objects Objects, log *slog.Logger) *Step {
	return &Step{backend: ledger, fetcher: fetcher, objects: objects, log: log}
}

// errNotWaiting ends the fetching for a job that waits no more.
var errNotWaiting = errors.New("the job does not wait for its file any more")

// Run fetches the file of a job and starts it. What is wrong with the address,
// its server or the file fails the job; other errors may pass by themselves. nil
// means that the message is done with.
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
	default:
		s.log.InfoContext(ctx, "nothing to fetch: the job is gone, or waits for no file")
		return nil
	}
	switch code := problem.CodeOf(err); {
	case errors.Is(err, errNotWaiting):
		s.log.InfoContext(ctx, "the file is not wanted any more")
		return nil
	case code != "" && code != problem.Internal:
		why := problem.From(err)
		s.log.WarnContext(ctx, "file not fetched", "code", why.Code, "error", why)
		return s.backend.Fail(ctx, ref, job.Failure{Code: string(why.Code), Message: why.Message})
	case err != nil:
		return fmt.Errorf("fetch file of job %s: %w", ref.JobID, err)
	}
	return s.backend.HandleUploaded(ctx, ref)
}

// Fail fails a job whose file could not be fetched and stored, often enough.
func (s *Step) Fail(ctx context.Context, ref job.Ref) error {
	return s.backend.Fail(ctx, ref, job.Failure{Code: string(problem.FetchFailed), Message: "The file could not be fetched."})
}

// fetch stores the file.
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
