// Package fetch gets the file of an import from the address that its caller
// named, and stores it as if it had been uploaded.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/object"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/telemetry"
	"github.com/loadbay/loadbay/shared/tenant"
)

// Store keeps jobs and where their files are.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	Source(ctx context.Context, tx pgx.Tx, j *job.Job) (url string, err error)
	Measured(ctx context.Context, tx pgx.Tx, j *job.Job, size int64) (bool, error)
	Transition(ctx context.Context, tx pgx.Tx, key job.Key, t job.Transition) (job.Status, bool, error)
}

// Fetcher writes what is at an address.
type Fetcher interface {
	Copy(ctx context.Context, address string, to io.Writer) (int64, error)
}

// Objects begins files.
type Objects interface {
	Create(ctx context.Context, key, contentType string) object.Writer
}

// Arrivals starts jobs whose file is stored.
type Arrivals interface {
	Arrived(ctx context.Context, ref job.Ref) error
}

// Step is the fetch function.
type Step struct {
	store    Store
	fetcher  Fetcher
	objects  Objects
	arrivals Arrivals
	recorder job.Recorder
	log      *slog.Logger
}

// New returns the step.
func New(store Store, fetcher Fetcher, objects Objects, arrivals Arrivals, recorder job.Recorder, log *slog.Logger) *Step {
	return &Step{store: store, fetcher: fetcher, objects: objects, arrivals: arrivals, recorder: recorder, log: log}
}

// errUnwanted ends the fetching for a job that waits no more.
var errUnwanted = errors.New("the job does not wait for its file any more")

// Run fetches the file of a job and starts it. What is wrong with the address,
// its server or the file fails the job; other errors may pass by themselves. nil
// means that the message is done with.
func (s *Step) Run(ctx context.Context, ref job.Ref) error {
	j, address, err := s.load(ctx, ref)
	if problem.CodeOf(err) == problem.NotFound {
		s.log.WarnContext(ctx, "nothing to fetch: the job is gone", "job_id", ref.JobID)
		return nil
	}
	if err != nil {
		return fmt.Errorf("fetch file of job %s: %w", ref.JobID, err)
	}
	ctx = telemetry.WithJob(ctx, j)
	if j.Status != job.Uploaded {
		return nil
	}
	if j.UploadedAt == nil {
		err = s.fetch(ctx, j, address)
	}
	switch code := problem.CodeOf(err); {
	case errors.Is(err, errUnwanted):
		s.log.InfoContext(ctx, "the file is not wanted any more")
		return nil
	case code != "" && code != problem.Internal:
		return s.fail(ctx, j, problem.Of(err))
	case err != nil:
		return fmt.Errorf("fetch file of job %s: %w", ref.JobID, err)
	}
	return s.arrivals.Arrived(ctx, ref)
}

// GiveUp fails a job whose file could not be fetched and stored, often enough.
func (s *Step) GiveUp(ctx context.Context, ref job.Ref) error {
	j, _, err := s.load(ctx, ref)
	if problem.CodeOf(err) == problem.NotFound {
		return nil
	}
	if err != nil {
		return fmt.Errorf("give up the file of job %s: %w", ref.JobID, err)
	}
	return s.fail(ctx, j, problem.New(problem.FetchFailed, "The file could not be fetched."))
}

func (s *Step) load(ctx context.Context, ref job.Ref) (j *job.Job, address string, err error) {
	err = s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		if j, err = s.store.Job(ctx, tx, ref.JobID); err != nil {
			return err
		}
		address, err = s.store.Source(ctx, tx, j)
		return err
	})
	return j, address, err
}

// fetch stores the file. Its size is noted before it exists: who hears of the
// object holds it against that size.
func (s *Step) fetch(ctx context.Context, j *job.Job, address string) error {
	object := s.objects.Create(ctx, j.ObjectKey, j.ContentType)
	size, err := s.fetcher.Copy(ctx, address, object)
	if err == nil && size == 0 {
		err = problem.New(problem.FileEmpty, "The file is empty.")
	}
	if err == nil {
		err = s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) error {
			wanted, err := s.store.Measured(ctx, tx, j, size)
			if err == nil && !wanted {
				return errUnwanted
			}
			return err
		})
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

func (s *Step) fail(ctx context.Context, j *job.Job, why *problem.Error) error {
	var failed bool
	err := s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) (err error) {
		_, failed, err = s.store.Transition(ctx, tx, j.Key, job.Transition{
			To: job.Failed, ExpectedFrom: job.Uploaded, Failure: &job.Failure{Code: string(why.Code), Message: why.Message},
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("job %s fails: %w", j.ID, err)
	}
	if failed {
		s.recorder.Record(ctx, j, job.Uploaded, job.Failed)
		s.log.WarnContext(ctx, "file not fetched", "code", why.Code, "error", why)
	}
	return nil
}
