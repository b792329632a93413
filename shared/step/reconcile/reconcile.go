// Package reconcile finishes what processes that died have left: it starts imports
// whose file is there, completes tasks that were not completed, and ends jobs whose
// execution is gone. Once a minute it looks at jobs that make no progress.
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

// Store is the database: what each part of the step asks of it is declared there.
type Store interface {
	Now(ctx context.Context) (time.Time, error)
	AcrossOrganisations(ctx context.Context, f func(pgx.Tx) error) error
	Queue
	Jobs
}

// Queue finds the jobs that stand still, in turn.
type Queue interface {
	OpenJobs(ctx context.Context, tx pgx.Tx, idle time.Duration, limit int) ([]*job.Job, error)
	StoppedJobs(ctx context.Context, tx pgx.Tx, limit int) ([]*job.Job, error)
	MarkReconciled(ctx context.Context, tx pgx.Tx, key job.Key, seen job.Status) error
}

// Jobs keeps jobs.
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

// Workflow starts, asks about and stops executions.
type Workflow interface {
	Start(ctx context.Context, ref job.Ref) error
	Status(ctx context.Context, jobID job.ID) (job.ExecutionStatus, error)
	Stop(ctx context.Context, jobID job.ID, reason string) error
}

// TaskCompleter completes waiting tasks.
type TaskCompleter interface {
	CompleteIfDue(ctx context.Context, jobID job.ID, phase job.Phase, look func(context.Context) (*job.Job, error)) (bool, error)
}

// Config says when a job stands still, and how many are looked at in one run.
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
		return nil, fmt.Errorf("reconcile: idle %s, stuck %s, limit %d", config.Idle, config.Stuck, config.Limit)
	}
	return &Step{store: store, files: files, workflow: w, tasks: tasks, recorder: recorder, metrics: metrics, config: config, log: log}, nil
}

// Run looks at the jobs that stand still. A fault of one does not keep the
// others from their turn.
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
		// One that fails goes to the end of the queue too: as many of them as one
		// run looks at would keep all others from their turn for ever.
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

// countWaiting says how many of the open jobs wait for a person, by type: a
// gauge for the dashboard, exact while they are fewer than one run looks at.
func (s *Step) countWaiting(open []*job.Job) {
	waiting := map[string]int64{}
	for _, j := range open {
		if j.Status == job.ColumnMapping || j.Status == job.CellMapping || j.Status == job.AwaitingApproval {
			waiting[j.ImportType]++
		}
	}
	for kind, n := range waiting {
		s.metrics.Count("import.jobs.waiting", n, telemetry.Dimension{Name: "importType", Value: kind})
	}
}

func (s *Step) reconcileJob(ctx context.Context, j *job.Job, act func(context.Context, *job.Job) error) error {
	ctx = telemetry.WithJob(telemetry.Scope(ctx), j)
	if err := act(ctx, j); err != nil {
		s.log.ErrorContext(ctx, "job cannot be reconciled", "error", err)
		return fmt.Errorf("reconcile job %s: %w", j.ID, err)
	}
	return nil
}

// markReconciled notes that a job has had its turn.
func (s *Step) markReconciled(ctx context.Context, j *job.Job) error {
	return s.store.AcrossOrganisations(ctx, func(tx pgx.Tx) error { return s.store.MarkReconciled(ctx, tx, j.Key, j.Status) })
}

// stopExecution ends an execution that outlived its job.
func (s *Step) stopExecution(ctx context.Context, j *job.Job) error {
	status, err := s.workflow.Status(ctx, j.ID)
	if err != nil || status != job.ExecutionRunning {
		return err
	}
	return s.workflow.Stop(ctx, j.ID, "The job has ended as "+string(j.Status)+".")
}

// advance brings an open job a step further, if there is one that is due.
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

// startArrived starts an import whose file has arrived, and an undo, which has none.
func (s *Step) startArrived(ctx context.Context, j *job.Job) error {
	if j.Undo != nil {
		return s.start(ctx, j)
	}
	file, err := s.files.Head(ctx, j.ObjectKey)
	if problem.CodeOf(err) == problem.UploadMissing {
		return nil // still to come
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

// completeTasks completes the task of every phase that has nothing left to wait for.
// Earlier phases have closed tokens. The job may have gone on since it was found, so it
// is read again.
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
		told, err := s.tasks.CompleteIfDue(ctx, j.ID, phase, again)
		if err != nil {
			return err
		}
		if told && phase == job.PhaseRows && j.Progress.CallbackPending {
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

// reportStuck reports a job whose rows have made no progress for too long.
func (s *Step) reportStuck(ctx context.Context, j *job.Job) error {
	now, err := s.store.Now(ctx)
	if err != nil {
		return err
	}
	if idle := now.Sub(j.UpdatedAt); idle > s.config.Stuck {
		s.metrics.Count("import.stuck", 1, telemetry.Dimension{Name: "importType", Value: j.ImportType})
		s.log.ErrorContext(ctx, "import is stuck", "idle_seconds", int64(idle.Seconds()), "chunks_done", j.Progress.ChunksDone, "chunk_total", j.Progress.ChunkTotal)
	}
	return nil
}

// failOrphan ends a job whose execution has ended without it.
func (s *Step) failOrphan(ctx context.Context, j *job.Job, status job.ExecutionStatus) error {
	s.log.ErrorContext(ctx, "execution ended without its job", "execution", status)
	return s.failJob(ctx, j, &job.Failure{
		Code:    string(problem.Stuck),
		Message: "The import's execution ended without finishing it. Import the file again; if it persists, give support the id of this import.",
	})
}

// failJob fails the job, unless it has ended meanwhile.
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
