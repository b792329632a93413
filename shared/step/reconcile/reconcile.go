// Package reconcile finishes the work of processes that died. It starts imports after their
// files have arrived, completes tasks that were not completed, and ends jobs without an
// execution. Once a minute it checks jobs that make no progress.
package reconcile

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// Store is the database. Each part of the step declares the methods it needs.
type Store interface {
	Now(ctx context.Context) (time.Time, error)
	AcrossOrganisations(ctx context.Context, f func(pgx.Tx) error) error
	Queue
	Jobs
}

// Queue returns stuck jobs in turn.
type Queue interface {
	OpenJobs(ctx context.Context, tx pgx.Tx, idle time.Duration, limit int) ([]*job.Job, error)
	StoppedJobs(ctx context.Context, tx pgx.Tx, limit int) ([]*job.Job, error)
	MarkReconciled(ctx context.Context, tx pgx.Tx, key job.Key, seen job.Status) error
}

// Jobs reads and updates jobs.
type Jobs interface {
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	MarkUploaded(ctx context.Context, tx pgx.Tx, key job.Key, file object.Info) error
	MarkCallbackSent(ctx context.Context, tx pgx.Tx, key job.Key) error
	Transition(ctx context.Context, tx pgx.Tx, key job.Key, t job.Transition) (job.Status, bool, error)
}

// Files reports whether an upload has arrived.
type Files interface {
	Head(ctx context.Context, key string) (object.Info, error)
}

// Workflow starts, queries and stops executions.
type Workflow interface {
	Start(ctx context.Context, ref job.Ref) error
	Status(ctx context.Context, jobID job.ID) (job.ExecutionStatus, error)
	Stop(ctx context.Context, jobID job.ID, reason string) error
}

// TaskCompleter completes waiting tasks.
type TaskCompleter interface {
	CompleteIfDue(ctx context.Context, jobID job.ID, phase job.Phase, look func(context.Context) (*job.Job, error)) (bool, error)
}

// Config sets when a job counts as stuck, and how many jobs one run checks.
type Config struct {
	Idle  time.Duration `env:"RECONCILE_IDLE" default:"5s"`
	Stuck time.Duration `env:"RECONCILE_STUCK" default:"15m"`
	Limit int           `env:"RECONCILE_LIMIT" default:"200"`
}

// Step is the reconcile function.
type Step struct {
	store    Store
	files    Files
	workflow Workflow
	tasks    TaskCompleter
	recorder job.Recorder
	metrics  *telemetry.Metrics
	config   Config
	log      *slog.Logger
}

// New returns the step.
func New(store Store, files Files, w Workflow, tasks TaskCompleter, recorder job.Recorder, metrics *telemetry.Metrics, config Config, log *slog.Logger) (*Step, error) {
	if config.Limit < 1 || config.Idle <= 0 || config.Stuck <= config.Idle {
		return nil, fmt.Errorf("reconcile: invalid configuration: idle %s, stuck %s, limit %d",
			config.Idle, config.Stuck, config.Limit)
	}
	return &Step{store: store, files: files, workflow: w, tasks: tasks, recorder: recorder, metrics: metrics, config: config, log: log}, nil
}

// Run checks the stuck jobs. An error with one does not stop the others.
func (s *Step) Run(ctx context.Context) error {
	var open, stopped []*job.Job
	err := s.store.AcrossOrganisations(ctx, func(tx pgx.Tx) (err error) {
		if open, err = s.store.OpenJobs(ctx, tx, s.config.Idle, s.config.Limit); err != nil {
			return err
		}
		stopped, err = s.store.StoppedJobs(ctx, tx, s.config.Limit)
		return err
	})
	if err != nil {
		return fmt.Errorf("reconcile: %w", err)
	}
	s.countWaiting(open)
	var faults []error
	for _, j := range open {
		// A job that fails also moves to the end of the queue. Otherwise, a full page of failing jobs
		// would block all others forever.
		faults = append(faults, s.reconcileJob(ctx, j, s.advance), s.markReconciled(ctx, j))
	}
	for _, j := range stopped {
		err := s.reconcileJob(ctx, j, s.stopExecution)
		if err == nil {
			err = s.markReconciled(ctx, j)
		}
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// countWaiting reports the number of open jobs that wait for a person, by type: a gauge for the
// dashboard, exact while there are fewer open jobs than one run checks.
func (s *Step) countWaiting(open []*job.Job) {
	waiting := map[string]int64{}
	for _, j := range open {
		if j.Status == job.ColumnMapping || j.Status == job.CellMapping || j.Status == job.AwaitingApproval {
			waiting[j.TypeDimension()]++
		}
	}
	for kind, n := range waiting {
		s.metrics.Count("import.jobs.waiting", n, telemetry.Dimension{Name: "importType", Value: kind})
	}
}

func (s *Step) reconcileJob(ctx context.Context, j *job.Job, act func(context.Context, *job.Job) error) error {
	ctx = telemetry.WithJob(telemetry.Scope(ctx), j)
	if err := act(ctx, j); err != nil {
		s.log.ErrorContext(ctx, "reconcile job failed", "error", err)
		return fmt.Errorf("reconcile job %s: %w", j.ID, err)
	}
	return nil
}

// markReconciled records that a job has been checked.
func (s *Step) markReconciled(ctx context.Context, j *job.Job) error {
	return s.store.AcrossOrganisations(ctx, func(tx pgx.Tx) error { return s.store.MarkReconciled(ctx, tx, j.Key, j.Status) })
}

// stopExecution stops an execution that outlived its job.
func (s *Step) stopExecution(ctx context.Context, j *job.Job) error {
	status, err := s.workflow.Status(ctx, j.ID)
	if err != nil || status != job.ExecutionRunning {
		return err
	}
	return s.workflow.Stop(ctx, j.ID, "The job ended as "+string(j.Status)+".")
}

// advance performs the next due step of an open job, if there is one.
func (s *Step) advance(ctx context.Context, j *job.Job) error {
	status, err := s.workflow.Status(ctx, j.ID)
	if err != nil {
		return err
	}
	switch {
	case status == job.ExecutionAbsent && j.Status == job.Uploaded:
		return s.startArrived(ctx, j)
	case status == job.ExecutionRunning:
		return s.completeTasks(ctx, j)
	default:
		return s.failOrphan(ctx, j, status)
	}
}

// startArrived starts an import if its file has arrived, and an undo, which has no file.
func (s *Step) startArrived(ctx context.Context, j *job.Job) error {
	if j.Undo != nil {
		return s.start(ctx, j)
	}
	file, err := s.files.Head(ctx, j.ObjectKey)
	if problem.CodeOf(err) == problem.UploadMissing {
		return nil // has not arrived yet
	}
	if err != nil {
		return err
	}
	if j.UploadedAt == nil && file.Size != j.SizeBytes {
		return s.failJob(ctx, j, submit.SizeMismatch(j, file.Size))
	}
	err = s.store.AcrossOrganisations(ctx, func(tx pgx.Tx) error { return s.store.MarkUploaded(ctx, tx, j.Key, file) })
	if err != nil {
		return err
	}
	return s.start(ctx, j)
}

func (s *Step) start(ctx context.Context, j *job.Job) error {
	s.log.WarnContext(ctx, "import started by reconcile")
	return s.workflow.Start(ctx, job.Ref{JobID: j.ID, OrganisationID: j.OrganisationID})
}

// completeTasks completes the tasks of all phases that have nothing left to wait for. The tokens
// of earlier phases are closed. The job is read again, because it may have advanced since it was
// found.
func (s *Step) completeTasks(ctx context.Context, j *job.Job) error {
	again := func(ctx context.Context) (now *job.Job, err error) {
		err = s.store.AcrossOrganisations(ctx, func(tx pgx.Tx) (err error) {
			now, err = s.store.Job(ctx, tx, j.ID)
			return err
		})
		return now, err
	}
	for _, phase := range job.Phases() {
		if _, due := callback.Due(j, phase); !due {
			continue
		}
		completed, err := s.tasks.CompleteIfDue(ctx, j.ID, phase, again)
		if err != nil {
			return err
		}
		if completed && phase == job.PhaseRows && j.Progress.CallbackPending {
			if err := s.store.AcrossOrganisations(ctx, func(tx pgx.Tx) error { return s.store.MarkCallbackSent(ctx, tx, j.Key) }); err != nil {
				return err
			}
		}
	}
	if j.Status == job.Processing {
		return s.reportStuck(ctx, j)
	}
	return nil
}

// reportStuck reports a job if its rows have made no progress for too long.
func (s *Step) reportStuck(ctx context.Context, j *job.Job) error {
	now, err := s.store.Now(ctx)
	if err != nil {
		return err
	}
	if idle := now.Sub(j.UpdatedAt); idle > s.config.Stuck {
		s.metrics.Count("import.stuck", 1, telemetry.Dimension{Name: "importType", Value: j.TypeDimension()})
		s.log.ErrorContext(ctx, "import is stuck", "idle_seconds", int64(idle.Seconds()), "chunks_done", j.Progress.ChunksDone, "chunk_total", j.Progress.ChunkTotal)
	}
	return nil
}

// failOrphan ends a job after its execution has ended.
func (s *Step) failOrphan(ctx context.Context, j *job.Job, status job.ExecutionStatus) error {
	s.log.ErrorContext(ctx, "execution ended, but its job did not", "execution", status)
	return s.failJob(ctx, j, &job.Failure{
		Code:    string(problem.Stuck),
		Message: "The import stopped unexpectedly. Import the file again; if the error persists, send the ID of this import to support.",
	})
}

// failJob fails the job, unless it has ended in the meantime.
func (s *Step) failJob(ctx context.Context, j *job.Job, why *job.Failure) error {
	var from job.Status
	err := s.store.AcrossOrganisations(ctx, func(tx pgx.Tx) (err error) {
		from, _, err = s.store.Transition(ctx, tx, j.Key, job.Transition{To: job.Failed, Failure: why})
		return err
	})
	if err == nil && from != "" {
		s.recorder.Record(ctx, j, from, job.Failed)
	}
	return err
}
