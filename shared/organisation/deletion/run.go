package deletion

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// Table is a table with rows of organisations.
type Table struct {
	Name string   // as written in SQL
	Keys []string // quoted columns that identify a row
	// HasJobs means that rows may belong to an import, with which they are deleted. OfJobs means that
	// all do.
	HasJobs, OfJobs bool
}

// Rows finds and deletes the rows of the transaction's organisation.
type Rows interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	LockDeletion(ctx context.Context, tx pgx.Tx, organisation tenant.ID) (*Deletion, error)
	// OwnedTables returns all tables with rows of organisations, referring tables before the tables that
	// they refer to, without that of deletions.
	OwnedTables(ctx context.Context, tx pgx.Tx) ([]Table, error)
	// OrganisationJobs returns some jobs of the organisation, those that have not ended first.
	OrganisationJobs(ctx context.Context, tx pgx.Tx, organisation tenant.ID, limit int) ([]*job.Job, error)
	Transition(ctx context.Context, tx pgx.Tx, key job.Key, t job.Transition) (from job.Status, ok bool, err error)
	EndOpenExports(ctx context.Context, tx pgx.Tx, organisation tenant.ID, why job.Failure) error
	// DeleteOwnedRows deletes up to limit rows of a table, and returns their number.
	DeleteOwnedRows(ctx context.Context, tx pgx.Tx, organisation tenant.ID, t Table, limit int) (int, error)
	// DeleteOwnedRowsOfJob is DeleteOwnedRows for the rows of a job.
	DeleteOwnedRowsOfJob(ctx context.Context, tx pgx.Tx, organisation tenant.ID, t Table, key job.Key, limit int) (int, error)
	DeleteOwnedJob(ctx context.Context, tx pgx.Tx, organisation tenant.ID, key job.Key) (int, error)
	// AddDeleted counts deleted rows by table, and files, and records the progress.
	AddDeleted(ctx context.Context, tx pgx.Tx, organisation tenant.ID, rows map[string]int64, objects int64) error
	// PostponeDeletion sets after what time reconcile continues the deletion.
	PostponeDeletion(ctx context.Context, tx pgx.Tx, organisation tenant.ID, after time.Duration) error
	// EndDeletion deletes the organisation itself and completes the deletion. It reports false if there
	// are still rows of the organisation.
	EndDeletion(ctx context.Context, tx pgx.Tx, organisation tenant.ID) (bool, error)
}

// Files deletes objects.
type Files interface {
	DeleteAll(ctx context.Context, prefix string) (int, error)
}

// Tokens deletes what is stored outside the database about an organisation's jobs and requests.
type Tokens interface {
	DeleteJobs(ctx context.Context, organisation tenant.ID, jobIDs []job.ID) error
	DeleteIdempotencyKeys(ctx context.Context, organisation tenant.ID) error
}

// Workflow stops executions.
type Workflow interface {
	Stop(ctx context.Context, jobID job.ID, reason string) error
}

// Config sets the sizes of steps.
type Config struct {
	// Rows is the number of rows that one transaction deletes at most.
	Rows int `env:"DELETION_ROWS" default:"10000"`
	// Settle is the time from the confirmation to the end of the deletion. Until then, uploads to
	// addresses that were signed before (UPLOAD_LIFETIME) and running invocations may still create files.
	Settle time.Duration `env:"DELETION_SETTLE" default:"75m"`
	// Reserve is the remaining time of the function at which the run stops.
	Reserve time.Duration `env:"DELETION_RESERVE" default:"30s"`
}

// Runner carries out confirmed deletions.
type Runner struct {
	rows     Rows
	files    Files
	tokens   Tokens
	workflow Workflow
	config   Config
	log      *slog.Logger
}

// NewRunner returns a Runner.
func NewRunner(rows Rows, files Files, tokens Tokens, workflow Workflow, c Config, log *slog.Logger) (*Runner, error) {
	if c.Rows < 1 || c.Settle < 0 || c.Reserve < 0 {
		return nil, fmt.Errorf("deletion: invalid configuration %+v", c)
	}
	return &Runner{rows: rows, files: files, tokens: tokens, workflow: workflow, config: c, log: log}, nil
}

// reason is what people see of imports and exports that a deletion has cancelled.
const reason = "The organisation is being deleted."

func failure() job.Failure { return job.Failure{Code: string(problem.OrgDeleted), Message: reason} }

// Reasons why a run ends before the deletion is complete.
var (
	errTimeUp = errors.New("time budget used up")
	errOver   = errors.New("the deletion is completed, or not confirmed")
)

// jobsPerStep is the number of imports that are read at a time.
const jobsPerStep = 100

// pause is how long a run waits for imports that are about to complete.
const pause = time.Second

// Run continues a deletion until it is complete or there is no time for another step: then
// reconcile starts the next run. A deletion that is not confirmed, or is complete, is not an error.
// Concurrent runs are harmless: each step locks the deletion.
func (r *Runner) Run(ctx context.Context, organisation tenant.ID) error {
	err := r.run(ctx, organisation)
	switch {
	case errors.Is(err, errOver), problem.CodeOf(err) == problem.NotFound:
		return nil
	case errors.Is(err, errTimeUp):
		return r.postpone(ctx, organisation)
	case err != nil:
		return fmt.Errorf("delete organisation %d: %w", organisation, err)
	}
	return nil
}

func (r *Runner) run(ctx context.Context, organisation tenant.ID) error {
	for {
		tables, err := r.endExports(ctx, organisation)
		if err != nil {
			return err
		}
		if err := r.deleteImports(ctx, organisation, tables); err != nil {
			return err
		}
		if err := r.deleteRows(ctx, organisation, tables); err != nil {
			return err
		}
		if err := r.deleteObjects(ctx, organisation); err != nil {
			return err
		}
		over, err := r.end(ctx, organisation)
		if err != nil || over {
			return err
		}
	}
}

// step runs one transaction of a confirmed deletion.
func (r *Runner) step(ctx context.Context, organisation tenant.ID, f func(tx pgx.Tx, d *Deletion) error) error {
	if deadline, limited := ctx.Deadline(); limited && time.Until(deadline) < r.config.Reserve {
		return errTimeUp
	}
	return r.rows.InOrganisation(ctx, organisation, func(tx pgx.Tx) error {
		d, err := r.rows.LockDeletion(ctx, tx, organisation)
		if err != nil {
			return err
		}
		if d.ConfirmedAt == nil || d.CompletedAt != nil {
			return errOver
		}
		return f(tx, d)
	})
}

// endExports cancels exports, and returns the tables with rows of organisations.
func (r *Runner) endExports(ctx context.Context, organisation tenant.ID) (tables []Table, err error) {
	err = r.step(ctx, organisation, func(tx pgx.Tx, _ *Deletion) (err error) {
		if tables, err = r.rows.OwnedTables(ctx, tx); err != nil {
			return err
		}
		return r.rows.EndOpenExports(ctx, tx, organisation, failure())
	})
	return tables, err
}

// deleteImports ends and deletes all imports. An import that is about to complete is waited for.
func (r *Runner) deleteImports(ctx context.Context, organisation tenant.ID, tables []Table) error {
	for {
		jobs, err := r.endJobs(ctx, organisation)
		if err != nil || len(jobs) == 0 {
			return err
		}
		deleted, err := r.deleteJobs(ctx, organisation, tables, jobs)
		if err != nil {
			return err
		}
		if deleted == 0 {
			if err := sleep(ctx, pause); err != nil {
				return err
			}
		}
	}
}

// endJobs cancels the next imports, and returns them.
func (r *Runner) endJobs(ctx context.Context, organisation tenant.ID) ([]*job.Job, error) {
	var jobs []*job.Job
	err := r.step(ctx, organisation, func(tx pgx.Tx, _ *Deletion) (err error) {
		if jobs, err = r.rows.OrganisationJobs(ctx, tx, organisation, jobsPerStep); err != nil {
			return err
		}
		why := failure()
		for _, j := range jobs {
			if j.Status.Terminal() {
				continue
			}
			_, ended, err := r.rows.Transition(ctx, tx, j.Key, job.Transition{
				To: job.Cancelled, Failure: &why,
			})
			if err != nil {
				return err
			}
			if ended {
				j.Status = job.Cancelled
			}
		}
		return nil
	})
	return jobs, err
}

// deleteJobs deletes the imports that have ended, and returns their number.
func (r *Runner) deleteJobs(ctx context.Context, organisation tenant.ID, tables []Table, jobs []*job.Job) (deleted int, err error) {
	var ended []*job.Job
	var ids []job.ID
	for _, j := range jobs {
		if !j.Status.Terminal() {
			continue
		}
		ended, ids = append(ended, j), append(ids, j.ID)
		if j.Status == job.Completed {
			continue
		}
		if err := r.workflow.Stop(ctx, j.ID, reason); err != nil {
			return 0, err
		}
	}
	if len(ended) == 0 {
		return 0, nil
	}
	if err := r.tokens.DeleteJobs(ctx, organisation, ids); err != nil {
		return 0, err
	}
	for _, j := range ended {
		if err := r.deleteJob(ctx, organisation, tables, j.Key); err != nil {
			return deleted, err
		}
		deleted++
	}
	return deleted, nil
}

// deleteJob deletes the rows of an import table by table, and then the import.
func (r *Runner) deleteJob(ctx context.Context, organisation tenant.ID, tables []Table, key job.Key) error {
	for _, t := range tables {
		if !t.HasJobs {
			continue
		}
		err := r.deleteAll(ctx, organisation, t.Name, func(tx pgx.Tx) (int, error) {
			return r.rows.DeleteOwnedRowsOfJob(ctx, tx, organisation, t, key, r.config.Rows)
		})
		if err != nil {
			return err
		}
	}
	return r.step(ctx, organisation, func(tx pgx.Tx, _ *Deletion) error {
		n, err := r.rows.DeleteOwnedJob(ctx, tx, organisation, key)
		if err != nil || n == 0 {
			return err
		}
		return r.rows.AddDeleted(ctx, tx, organisation, map[string]int64{"loadbay.import_jobs": int64(n)}, 0)
	})
}

// deleteRows deletes the rows of all other tables.
func (r *Runner) deleteRows(ctx context.Context, organisation tenant.ID, tables []Table) error {
	for _, t := range tables {
		if t.OfJobs {
			continue
		}
		err := r.deleteAll(ctx, organisation, t.Name, func(tx pgx.Tx) (int, error) {
			return r.rows.DeleteOwnedRows(ctx, tx, organisation, t, r.config.Rows)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// deleteAll deletes batches of a table's rows, each with its count, until none are left.
func (r *Runner) deleteAll(ctx context.Context, organisation tenant.ID, table string, some func(pgx.Tx) (int, error)) error {
	for more := true; more; {
		err := r.step(ctx, organisation, func(tx pgx.Tx, _ *Deletion) error {
			n, err := some(tx)
			if more = n >= r.config.Rows; err != nil || n == 0 {
				return err
			}
			return r.rows.AddDeleted(ctx, tx, organisation, map[string]int64{table: int64(n)}, 0)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Prefixes returns the prefixes of the keys of an organisation's files.
func Prefixes(organisation tenant.ID) []string {
	var prefixes []string
	for _, folder := range []string{"uploads", "chunks", "drop", "drop-quarantine", "results", "exports"} {
		prefixes = append(prefixes, folder+"/"+organisation.String()+"/")
	}
	return prefixes
}

func (r *Runner) deleteObjects(ctx context.Context, organisation tenant.ID) error {
	for _, prefix := range Prefixes(organisation) {
		n, failed := r.files.DeleteAll(ctx, prefix)
		err := r.step(ctx, organisation, func(tx pgx.Tx, _ *Deletion) error {
			if n == 0 {
				return nil
			}
			return r.rows.AddDeleted(ctx, tx, organisation, nil, int64(n))
		})
		if err = errors.Join(failed, err); err != nil {
			return err
		}
	}
	return nil
}

// end completes the deletion, or postpones its end. It reports false if rows have been added since they
// were deleted.
func (r *Runner) end(ctx context.Context, organisation tenant.ID) (over bool, err error) {
	if err := r.tokens.DeleteIdempotencyKeys(ctx, organisation); err != nil {
		return false, err
	}
	var d *Deletion
	ended := false
	err = r.step(ctx, organisation, func(tx pgx.Tx, locked *Deletion) (err error) {
		d = locked
		if settled := d.ConfirmedAt.Add(r.config.Settle); d.Now.Before(settled) {
			over = true
			return r.rows.PostponeDeletion(ctx, tx, organisation, settled.Sub(d.Now))
		}
		ended, err = r.rows.EndDeletion(ctx, tx, organisation)
		over = ended
		return err
	})
	if err == nil && ended {
		r.log.InfoContext(ctx, "organisation deleted", "of_organisation", organisation, "objects", d.Objects)
	}
	return over, err
}

// postpone lets reconcile start the next run at once.
func (r *Runner) postpone(ctx context.Context, organisation tenant.ID) error {
	ctx = context.WithoutCancel(ctx)
	return r.rows.InOrganisation(ctx, organisation, func(tx pgx.Tx) error { return r.rows.PostponeDeletion(ctx, tx, organisation, 0) })
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return errTimeUp
	case <-timer.C:
		return nil
	}
}
