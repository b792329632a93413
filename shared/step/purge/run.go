package purge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// Jobs finds and deletes jobs of all organisations.
type Jobs interface {
	ExpiredJobs(ctx context.Context, tx pgx.Tx, r job.Retention, after job.Key, limit int) ([]*job.Job, error)
	Transition(ctx context.Context, tx pgx.Tx, key job.Key, t job.Transition) (job.Status, bool, error)
	JobsWithExpiredFiles(ctx context.Context, tx pgx.Tx, r job.Retention, after job.Key, limit int) ([]*job.Job, error)
	JobsWithExpiredChanges(ctx context.Context, tx pgx.Tx, after job.Key, limit int) ([]*job.Job, error)
	MarkFilesPurged(ctx context.Context, tx pgx.Tx, key job.Key) error
	DeleteChanges(ctx context.Context, tx pgx.Tx, key job.Key, limit int) (int, error)
	DeleteJobRows(ctx context.Context, tx pgx.Tx, key job.Key, limit int) (int, error)
	DeleteJob(ctx context.Context, tx pgx.Tx, key job.Key) error
}

// run is one run of the purge with what it has done so far.
type run struct {
	*Step
	rows     batch
	timeUp   bool // the function's time is nearly over
	failures []error

	purged                                       map[string]int64 // jobs, by import type
	cancelled, resumed, objects, erased, exports int64
}

// Reasons why a job stays that are no faults.
var (
	errResumed = errors.New("somebody has come back to the job")
	errTimeUp  = errors.New("the time is nearly over")
	errEnded   = errors.New("the job has ended just now, and is kept as long as others that have")
)

// purgeJobs takes the jobs that are kept no longer.
func (r *run) purgeJobs(ctx context.Context) {
	r.eachPage(ctx, func(tx pgx.Tx, after job.Key) ([]*job.Job, error) {
		return r.store.ExpiredJobs(ctx, tx, r.retention, after, r.config.Jobs)
	}, r.purge)
}

// eachPage takes the jobs that are found, some at a time, each once.
func (r *run) eachPage(ctx context.Context, find func(tx pgx.Tx, after job.Key) ([]*job.Job, error), take func(context.Context, []*job.Job)) {
	for after := job.Key(0); !r.timeUp; {
		var jobs []*job.Job
		err := r.bounded(ctx, func(tx pgx.Tx) (err error) {
			jobs, err = find(tx, after)
			return err
		})
		if err != nil {
			r.failures = append(r.failures, err)
			return
		}
		if len(jobs) == 0 {
			return
		}
		after = jobs[len(jobs)-1].Key
		take(ctx, jobs)
	}
}

// purge takes jobs through all that is to be done, in an order in which a run
// that breaks off anywhere leaves nothing that the next one does not find.
func (r *run) purge(ctx context.Context, jobs []*job.Job) {
	jobs = r.filter(ctx, jobs, r.cancelWaiting)
	jobs = r.filter(ctx, jobs, r.deleteObjects)
	jobs = r.deleteTokens(ctx, jobs)
	for _, j := range r.filter(ctx, jobs, r.deleteJob) {
		r.purged[j.ImportType]++
	}
}

// filter returns the jobs for which do succeeds.
func (r *run) filter(ctx context.Context, jobs []*job.Job, do func(context.Context, *job.Job) error) []*job.Job {
	var done []*job.Job
	for _, j := range jobs {
		if r.timeUp = r.timeUp || r.outOfTime(ctx); r.timeUp {
			break
		}
		ctx := telemetry.WithJob(telemetry.Scope(ctx), j)
		switch err := do(ctx, j); {
		case err == nil:
			done = append(done, j)
		case errors.Is(err, errResumed):
			r.resumed++
		case errors.Is(err, errEnded):
			r.cancelled++
		case errors.Is(err, errTimeUp):
			r.timeUp = true
		default:
			r.addError(ctx, fmt.Errorf("job %s: %w", j.ID, err))
		}
	}
	return done
}

func (r *run) outOfTime(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ok && time.Until(deadline) < r.config.Reserve
}

func (r *run) addError(ctx context.Context, err error) {
	r.log.ErrorContext(ctx, "something cannot be purged", "error", err)
	r.failures = append(r.failures, err)
}

// cancelWaiting cancels a waiting job and stops its execution. The job itself goes when it
// has been ended for as long as others are kept: until then its organisation can
// hear of it and see why.
func (r *run) cancelWaiting(ctx context.Context, j *job.Job) error {
	if j.Status.Terminal() {
		return nil
	}
	idle, why := r.config.Waiting, "Nobody came back to this import in time."
	if j.Status == job.Uploaded && j.UploadedAt == nil {
		idle, why = r.config.Announced, "The file of this import did not arrive in time."
	}
	var from job.Status
	err := r.bounded(ctx, func(tx pgx.Tx) error {
		var ended bool
		var err error
		from, ended, err = r.store.Transition(ctx, tx, j.Key, job.Transition{
			To: job.Cancelled, ExpectedFrom: j.Status, IdleFor: idle,
			Failure: &job.Failure{Code: string(problem.TimedOut), Message: why},
		})
		if err == nil && !ended {
			return errResumed
		}
		return err
	})
	if err != nil {
		return err
	}
	r.recorder.Record(ctx, j, from, job.Cancelled)
	if err := r.workflow.Stop(ctx, j.ID, why); err != nil {
		return err
	}
	return errEnded
}

// uploadPrefix are the objects that belong to one job only, also where another one, which
// brings some of its rows again, reads its file. Those of the drop folder belong to
// whoever put them there: the bucket's lifecycle sees to them.
const uploadPrefix = "uploads/"

func (r *run) deleteObjects(ctx context.Context, j *job.Job) error {
	n, err := r.files.DeleteAll(ctx, j.ChunksPrefix())
	r.objects += int64(n)
	if err != nil || !strings.HasPrefix(j.ObjectKey, fmt.Sprintf("%s%d/%s/", uploadPrefix, j.OrganisationID, j.ID)) {
		return err
	}
	if err := r.files.Delete(ctx, j.ObjectKey); err != nil {
		return err
	}
	r.objects++
	return nil
}

// deleteTokens deletes what is kept in the table of tokens, organisation by
// organisation, and returns the jobs for which that succeeded.
func (r *run) deleteTokens(ctx context.Context, jobs []*job.Job) []*job.Job {
	byType := make(map[tenant.ID][]job.ID)
	for _, j := range jobs {
		byType[j.OrganisationID] = append(byType[j.OrganisationID], j.ID)
	}
	for organisation, ids := range byType {
		if err := r.tokens.DeleteJobs(ctx, organisation, ids); err != nil {
			r.addError(ctx, fmt.Errorf("organisation %d: %w", organisation, err))
			jobs = slices.DeleteFunc(jobs, func(j *job.Job) bool { return j.OrganisationID == organisation })
		}
	}
	return jobs
}

// deleteJob deletes the job's rows, batch by batch, and last the job itself.
func (r *run) deleteJob(ctx context.Context, j *job.Job) error {
	if err := r.deleteRows(ctx, j, r.store.DeleteJobRows); err != nil {
		return err
	}
	return r.bounded(ctx, func(tx pgx.Tx) error { return r.store.DeleteJob(ctx, tx, j.Key) })
}

// deleteRows has rows of the job deleted, batch by batch.
func (r *run) deleteRows(ctx context.Context, j *job.Job, some func(ctx context.Context, tx pgx.Tx, key job.Key, limit int) (int, error)) error {
	for more := true; more; {
		if r.outOfTime(ctx) {
			return errTimeUp
		}
		err := r.rows.run(func(limit int) error {
			var n int
			err := r.bounded(ctx, func(tx pgx.Tx) (err error) {
				n, err = some(ctx, tx, j.Key, limit)
				return err
			})
			if err == nil {
				r.erased += int64(n)
				more = n == limit
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// report logs and counts what the run did.
func (r *run) report(ctx context.Context, took time.Duration) {
	var jobs int64
	for importType, n := range r.purged {
		jobs += n
		r.metrics.Count("import.jobs.purged", n, telemetry.Dimension{Name: "importType", Value: importType})
	}
	r.log.InfoContext(ctx, "purged", "jobs", jobs, "cancelled", r.cancelled, "resumed", r.resumed, "objects", r.objects,
		"rows", r.erased, "exports", r.exports, "failures", len(r.failures), "finished", !r.timeUp, "duration_ms", took.Milliseconds())
}
