// Package complete ends a job after all of its rows are processed. It checks that every line of the
// file is accounted for, and reports the result.
package complete

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/imports/pastanswer"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/rows/fileresult"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// Store reads and updates jobs.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	LockJob(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	Transition(ctx context.Context, tx pgx.Tx, key job.Key, t job.Transition) (job.Status, bool, error)
	fileresult.Store
	ColumnMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedColumn, error)
	DecidedCells(ctx context.Context, tx pgx.Tx, key job.Key, limit int) ([]job.MappedCell, error)
	AddPastAnswers(ctx context.Context, tx pgx.Tx, organisation tenant.ID, entries []pastanswer.Entry, most int) error
	ForgetPastAnswersOf(ctx context.Context, tx pgx.Tx, imports []job.ID) error
}

// Types finds import types; see catalog.Catalog.
type Types interface {
	Type(ctx context.Context, tx pgx.Tx, organisation tenant.ID, name string, version int) (entity.Type, error)
}

// Step is the complete function.
type Step struct {
	store    Store
	types    Types
	recorder job.Recorder
	metrics  *telemetry.Metrics
	log      *slog.Logger
	now      func() time.Time
}

// New returns the step.
func New(store Store, types Types, recorder job.Recorder, metrics *telemetry.Metrics, log *slog.Logger) *Step {
	return &Step{store: store, types: types, recorder: recorder, metrics: metrics, log: log, now: time.Now}
}

// Run ends the job. Running it again changes nothing.
func (s *Step) Run(ctx context.Context, ref job.Ref) error {
	var j *job.Job
	var from job.Status
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		from = ""
		if j, err = s.store.LockJob(ctx, tx, ref.JobID); err != nil || j.Status == job.Completed {
			return err
		}
		if j.Status != job.Processing || !j.Progress.RowsDone() || j.Progress.Counts.Deferred > 0 {
			return problem.New(problem.StateConflict, "The import %s and still has rows to process, so it cannot be completed.", j.Status.Clause())
		}
		if j.IsPlanning() {
			// Only an execution with an older definition, which does not know plans of such files, gets here.
			return problem.New(problem.StateConflict, "The service was updated while this plan was being created. Import the file again.")
		}
		if err := s.savePlanResult(ctx, tx, j); err != nil {
			return err
		}
		if p := j.Progress; j.MaxErrors.Exceeded(p.Counts.Errored, p.TotalRows) { // the execution fails with this error
			return problem.New(problem.TooManyErrors, "%s", j.MaxErrors.Failure("", p).Message)
		}
		if j.Undo != nil { // answers that led to something that was undone are no suggestions
			if err := s.store.ForgetPastAnswersOf(ctx, tx, j.Undo.Jobs()); err != nil {
				return err
			}
		}
		from, _, err = s.store.Transition(ctx, tx, j.Key, job.Transition{To: job.Completed})
		return err
	})
	if err != nil {
		return fmt.Errorf("complete: %w", err)
	}
	if from == "" {
		return nil
	}
	ctx = telemetry.WithJob(ctx, j)
	s.recorder.Record(ctx, j, from, job.Completed)
	s.report(ctx, j)
	if err := s.learn(ctx, j); err != nil {
		// The import is complete, and suggestions are only a convenience.
		s.log.WarnContext(ctx, "save answers as suggestions", "error", err)
	}
	return nil
}

// learn saves what people answered, as suggestions for the next imports of the type.
func (s *Step) learn(ctx context.Context, j *job.Job) error {
	if !pastanswer.IsLearnedFrom(j) {
		return nil
	}
	return s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) error {
		columns, err := s.store.ColumnMappings(ctx, tx, j.Key)
		if err != nil {
			return err
		}
		cells, err := s.store.DecidedCells(ctx, tx, j.Key, pastanswer.MaxEntries)
		if err != nil {
			return err
		}
		kind, err := s.types.Type(ctx, tx, j.OrganisationID, j.ImportType, j.TypeVersion)
		if err != nil {
			return err
		}
		answers := pastanswer.Of(j, kind.Declaration(), columns, cells, s.now())
		if len(answers) == 0 {
			return nil
		}
		return s.store.AddPastAnswers(ctx, tx, j.OrganisationID, answers, pastanswer.MaxEntries)
	})
}

// savePlanResult stores the result of a plan of a whole-file import. The outcomes of its rows
// are known once the plan has been applied.
func (s *Step) savePlanResult(ctx context.Context, tx pgx.Tx, j *job.Job) error {
	if !j.WholeFile || !j.IsApplying() || j.Undo != nil {
		return nil
	}
	kind, err := s.types.Type(ctx, tx, j.OrganisationID, j.ImportType, j.TypeVersion)
	if err != nil {
		return err
	}
	writer, ok := kind.(entity.FileWriter)
	if !ok {
		return fmt.Errorf("type %q is not imported as a whole file", j.ImportType)
	}
	return fileresult.Save(ctx, tx, s.store, writer, j.Key, j.Progress, j.ResultJSON)
}

// highErrorRate is the share of failed rows above which an import is logged as a warning for
// the operator.
const highErrorRate = 0.1

// report logs the figures of the import.
func (s *Step) report(ctx context.Context, j *job.Job) {
	p := j.Progress
	if !p.Reconciles() {
		s.metrics.Count("import.invariant.violations", 1, telemetry.Dimension{Name: "importType", Value: j.TypeDimension()})
		s.log.WarnContext(ctx, "line counts do not match", "expected", p.FileLines,
			"actual", p.AccountedLines())
	}
	var took time.Duration
	if j.StartedAt != nil {
		took = max(s.now().Sub(*j.StartedAt), time.Millisecond)
	}
	total := p.Counts.Processed()
	rate := 0.0
	if total > 0 {
		rate = float64(p.Counts.Errored) / float64(total)
	}
	s.log.InfoContext(ctx, "import completed", "mode", j.Mode, "total_records", total, "successful_records", p.Counts.Success(),
		"unchanged_records", p.Counts.Unchanged, "skipped_records", p.Counts.Skipped, "failed_records", p.Counts.Errored, "file_lines", p.FileLines, "batch_count", p.ChunkTotal, "duration_ms", took.Milliseconds(),
		"rows_per_sec", int64(float64(total)/max(took.Seconds(), 0.001)), "error_rate", rate)
	if rate > highErrorRate {
		s.log.WarnContext(ctx, "high error rate", "error_rate", rate)
	}
}
