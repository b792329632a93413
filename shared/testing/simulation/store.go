package simulation

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/postgres"
)

// store is the database as seen by tasks: each transaction waits for its turn, and may be made to
// fail.
type store struct {
	*postgres.DB
	// forgottenValue is a value that resolving does not save: it first occurs while rows are processed,
	// like values beyond the lookup limit.
	forgottenValue string
	// changes counts the transactions, so that readers know when to read again.
	changes *atomic.Int64
}

// InOrganisation calls the database's InOrganisation in its turn.
func (s *store) InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error {
	return s.transaction(ctx, f, func(f func(pgx.Tx) error) error { return s.DB.InOrganisation(ctx, organisation, f) })
}

// AcrossOrganisations calls the database's AcrossOrganisations in its turn.
func (s *store) AcrossOrganisations(ctx context.Context, f func(pgx.Tx) error) error {
	return s.transaction(ctx, f, func(f func(pgx.Tx) error) error { return s.DB.AcrossOrganisations(ctx, f) })
}

func (s *store) transaction(ctx context.Context, f func(pgx.Tx) error, run func(func(pgx.Tx) error) error) error {
	t, ok := ctx.Value(taskKey{}).(*task)
	if !ok {
		return run(f)
	}
	defer s.changes.Add(1)
	// thenCommit runs the transaction with end in place of its commit.
	thenCommit := func(end func(pgx.Tx) error) error {
		return run(func(tx pgx.Tx) error {
			if err := f(tx); err != nil {
				return err
			}
			return end(tx)
		})
	}
	refusing := func(pgx.Tx) error { return errRefused }
	switch t.pause("transaction", true) {
	case dieBefore:
		runtime.Goexit()
	case dieInside:
		_ = thenCommit(refusing)
		runtime.Goexit()
	case dieAfter:
		_ = run(f)
		runtime.Goexit()
	case rollBack:
		return thenCommit(refusing)
	case loseResponse:
		if err := run(f); err != nil {
			return err
		}
		return errResponseLost
	case loseConnection:
		return thenCommit(func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `SELECT pg_terminate_backend(pg_backend_pid())`)
			return err
		})
	}
	return run(f)
}

// forgetfulStore is the store of the resolve step.
type forgetfulStore struct{ *store }

// AddCellMappings saves all values except forgottenValue.
func (s forgetfulStore) AddCellMappings(ctx context.Context, tx pgx.Tx, j *job.Job, mappings []job.MappedCell) error {
	kept := mappings[:0:0]
	for _, m := range mappings {
		if m.Value != s.forgottenValue {
			kept = append(kept, m)
		}
	}
	return s.store.AddCellMappings(ctx, tx, j, kept)
}

// everyJob exceeds the number of jobs that a simulator ever has.
const everyJob = 1_000_000

// runStore is the store of reconcile and purge, limited to the jobs of one run: earlier runs of the
// simulator have ended.
type runStore struct {
	*store
	owns func(*job.Job) bool
}

func (s runStore) filter(jobs []*job.Job, err error) ([]*job.Job, error) {
	return slices.DeleteFunc(jobs, func(j *job.Job) bool { return !s.owns(j) }), err
}

// OpenJobs returns the open jobs of the run.
func (s runStore) OpenJobs(ctx context.Context, tx pgx.Tx, idle time.Duration, limit int) ([]*job.Job, error) {
	return s.filter(s.store.OpenJobs(ctx, tx, idle, limit))
}

// StoppedJobs returns the stopped jobs of the run.
func (s runStore) StoppedJobs(ctx context.Context, tx pgx.Tx, limit int) ([]*job.Job, error) {
	return s.filter(s.store.StoppedJobs(ctx, tx, limit))
}

// ExpiredJobs returns the expired jobs of the run.
func (s runStore) ExpiredJobs(ctx context.Context, tx pgx.Tx, r job.Retention, after job.Key, limit int) ([]*job.Job, error) {
	return s.filter(s.store.ExpiredJobs(ctx, tx, r, after, limit))
}
