// Package purge deletes what is kept no longer: every night the imports and exports
// that ended long enough ago, and the imports that nobody has come back to.
//
// A waiting import is ended by one UPDATE that a confirmation at the same moment
// either precedes, so that the import goes on, or finds done, so that it is
// refused. It is deleted once it has been ended for as long as others are kept.
// An import that can be undone is kept until it cannot; its files are not.
// Everything that an import has elsewhere goes before its row, so
// that whatever a run leaves behind is found by the next one. Running twice at
// once is harmless: each deletion finds either something or nothing.
package purge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// Store is the database: what each part of the step asks of it is declared there.
type Store interface {
	AcrossOrganisations(ctx context.Context, f func(pgx.Tx) error) error
	SetStatementTimeout(ctx context.Context, tx pgx.Tx, limit time.Duration) error
	Jobs
	Exports
	Quarantine
}

// Files deletes objects.
type Files interface {
	Delete(ctx context.Context, key string) error
	DeleteAll(ctx context.Context, prefix string) (int, error)
}

// Tokens deletes what is kept about an organisation's jobs outside the database.
type Tokens interface {
	DeleteJobs(ctx context.Context, organisation tenant.ID, jobIDs []job.ID) error
}

// Workflow stops executions.
type Workflow interface {
	Stop(ctx context.Context, jobID job.ID, reason string) error
}

// Types lists the import types.
type Types interface {
	Types() []entity.Type
}

// Config says how long imports are kept, and how much one statement takes on.
type Config struct {
	Ended   time.Duration `env:"PURGE_ENDED" default:"168h"`
	Waiting time.Duration `env:"PURGE_WAITING" default:"2160h"`
	// Announced is how long a file may take to arrive: longer than an address for it,
	// and the key by which another one may be had, are good. It counts towards its
	// organisation's quotas until then.
	Announced time.Duration `env:"PURGE_ANNOUNCED" default:"48h"`
	// Jobs are looked for so many at a time.
	Jobs int `env:"PURGE_JOBS" default:"100"`
	// Rows are deleted so many at a time: fewer after a statement that took
	// longer than Timeout.
	Rows    int           `env:"PURGE_ROWS" default:"10000"`
	Timeout time.Duration `env:"PURGE_TIMEOUT" default:"10s"`
	// Reserve is how much of the function's time is left when it stops.
	Reserve time.Duration `env:"PURGE_RESERVE" default:"30s"`
}

// Step is the purge function.
type Step struct {
	store     Store
	files     Files
	tokens    Tokens
	workflow  Workflow
	recorder  job.Recorder
	metrics   *telemetry.Metrics
	config    Config
	retention job.Retention
	log       *slog.Logger
}

// New returns the step. Types that declare a retention of their own get it.
func New(store Store, files Files, tokens Tokens, workflow Workflow, types Types, recorder job.Recorder, metrics *telemetry.Metrics, config Config, log *slog.Logger) (*Step, error) {
	if config.Ended <= 0 || config.Waiting <= 0 || config.Announced <= 0 || config.Jobs < 1 || config.Rows < 1 || config.Timeout <= 0 || config.Reserve < 0 {
		return nil, fmt.Errorf("purge: the configuration %+v makes no sense", config)
	}
	retention := job.Retention{Ended: config.Ended, Waiting: config.Waiting, Announced: config.Announced, EndedByType: make(map[string]time.Duration)}
	for _, t := range types.Types() {
		if d := t.Declaration(); d.Retention > 0 {
			retention.EndedByType[d.Name] = d.Retention
		}
	}
	return &Step{
		store: store, files: files, tokens: tokens, workflow: workflow, recorder: recorder, metrics: metrics,
		config: config, retention: retention, log: log,
	}, nil
}

// Run deletes what has expired. A fault of one import does not keep the others;
// what is left for want of time follows the next night.
func (s *Step) Run(ctx context.Context) error {
	began := time.Now()
	r := &run{Step: s, rows: batch{size: s.config.Rows}, purged: make(map[string]int64)}
	r.purgeJobs(ctx)
	r.purgeFiles(ctx)
	r.purgeChanges(ctx)
	r.purgeExports(ctx)
	r.deleteQuarantined(ctx)
	r.report(ctx, time.Since(began))
	if err := errors.Join(r.failures...); err != nil {
		return fmt.Errorf("purge: %w", err)
	}
	return nil
}

// bounded runs f in a transaction whose statements may not take long.
func (s *Step) bounded(ctx context.Context, f func(pgx.Tx) error) error {
	return s.store.AcrossOrganisations(ctx, func(tx pgx.Tx) error {
		if err := s.store.SetStatementTimeout(ctx, tx, s.config.Timeout); err != nil {
			return err
		}
		return f(tx)
	})
}
