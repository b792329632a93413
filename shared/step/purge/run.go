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

// run is the state of one run of the purge.
type run struct {
	*Step
	rows     batch
	timeUp   bool // the function's time is nearly up
	failures []error

	purged                                       map[string]int64 // number of jobs by import type
	cancelled, resumed, objects, erased, exports int64
}

// Reasons why a job is not deleted that are not errors.
var (
	errResumed = errors.New("job was resumed")
	errTimeUp  = errors.New("time budget used up")
	errEnded   = errors.New("job finished in the meantime; its retention period starts now")
)

// purgeJobs deletes expired jobs.
func (r *run) purgeJobs(ctx context.Context) {
	r.eachPage(ctx, func(tx pgx.Tx, after job.Key) ([]*job.Job, error) {
		return r.store.ExpiredJobs(ctx, tx, r.retention, after, r.config.Jobs)
	}, r.purge)
}

// eachPage calls take with the jobs that find returns, page by page, each job once.
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

// purge runs all deletions for the jobs, in an order in which an interrupted run leaves nothing
// that the next run does not find.
func (r *run) purge(ctx context.Context, jobs []*job.Job) {
	jobs = r.filter(ctx, jobs, r.cancelWaiting)
	jobs = r.filter(ctx, jobs, r.deleteObjects)
	jobs = r.deleteTokens(ctx, jobs)
	for _, j := range r.filter(ctx, jobs, r.deleteJob) {
		r.purged[j.TypeDimension()]++
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
	r.log.ErrorContext(ctx, "purge failed", "error", err)
	r.failures = append(r.failures, err)
}

// cancelWaiting cancels a waiting job and stops its execution. The job itself is deleted after
// the usual retention; until then its organisation can see it and the reason.
func (r *run) cancelWaiting(ctx context.Context, j *job.Job) error {
	if j.Status.Terminal() {
		return nil
	}
	idle, why := r.config.Waiting, "This import received no input in time."
	if j.Status == job.Uploaded && j.UploadedAt == nil {
		idle, why = r.config.Announced, "The file of this import was not uploaded in time."
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

// uploadPrefix is the prefix of objects that belong to a single job, even if a job that retries
// some of its rows reads the file. Files in the drop folder belong to their senders; the
// bucket's lifecycle deletes them.
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

// deleteTokens deletes the jobs' entries in the token table, by organisation, and returns the
// jobs for which this succeeded.
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

// deleteJob deletes the job's rows in batches, and finally the job itself.
func (r *run) deleteJob(ctx context.Context, j *job.Job) error {
	if err := r.deleteRows(ctx, j, r.store.DeleteJobRows); err != nil {
		return err
	}
	return r.bounded(ctx, func(tx pgx.Tx) error { return r.store.DeleteJob(ctx, tx, j.Key) })
}

// deleteRows deletes rows of the job in batches.
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

// report logs and counts the results of the run.
func (r *run) report(ctx context.Context, took time.Duration) {
	var jobs int64
	for importType, n := range r.purged {
		jobs += n
		r.metrics.Count("import.jobs.purged", n, telemetry.Dimension{Name: "importType", Value: importType})
	}
	r.log.InfoContext(ctx, "purged", "jobs", jobs, "cancelled", r.cancelled, "resumed", r.resumed, "objects", r.objects,
		"rows", r.erased, "exports", r.exports, "failures", len(r.failures), "finished", !r.timeUp, "duration_ms", took.Milliseconds())
}
