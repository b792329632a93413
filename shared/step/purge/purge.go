// Package purge deletes expired data. Every night it deletes imports and exports that ended long
// enough ago, and abandoned imports.
//
// A waiting import is ended by a single UPDATE. A concurrent confirmation is either first, so
// that the import continues, or finds the import ended and is refused. The import is deleted
// after the same retention as other ended imports. An import that can be undone is kept until it
// no longer can; its files are not. The data that an import has elsewhere is deleted before its
// row, so that the next run finds what an interrupted run has left. Concurrent runs are
// harmless: each deletion either finds something or nothing.
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

// Store is the database. Each part of the step declares the methods it needs.
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

// Tokens deletes the data about an organisation's jobs that is stored outside the database.
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

// Config sets the retention of imports and the batch sizes.
type Config struct {
	Ended   time.Duration `env:"PURGE_ENDED" default:"168h"`
	Waiting time.Duration `env:"PURGE_WAITING" default:"2160h"`
	// Announced is the time that a file may take to arrive: longer than the validity of its upload
	// URL and of the idempotency key with which another URL can be requested. The import counts
	// towards its organisation's quotas until then.
	Announced time.Duration `env:"PURGE_ANNOUNCED" default:"48h"`
	// Jobs is the number of jobs that are read at a time.
	Jobs int `env:"PURGE_JOBS" default:"100"`
	// Rows is the number of rows that are deleted at a time; it shrinks after a statement that took
	// longer than Timeout.
	Rows    int           `env:"PURGE_ROWS" default:"10000"`
	Timeout time.Duration `env:"PURGE_TIMEOUT" default:"10s"`
	// Reserve is the remaining time of the function at which the run stops.
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

// New returns the step. A retention declared by an import type applies to its jobs.
func New(store Store, files Files, tokens Tokens, workflow Workflow, types Types, recorder job.Recorder, metrics *telemetry.Metrics, config Config, log *slog.Logger) (*Step, error) {
	if config.Ended <= 0 || config.Waiting <= 0 || config.Announced <= 0 || config.Jobs < 1 || config.Rows < 1 || config.Timeout <= 0 || config.Reserve < 0 {
		return nil, fmt.Errorf("purge: invalid configuration %+v", config)
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

// Run deletes expired data. An error with one import does not stop the others; anything left at
// the deadline is deleted the next night.
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

// bounded runs f in a transaction with a statement timeout.
func (s *Step) bounded(ctx context.Context, f func(pgx.Tx) error) error {
	return s.store.AcrossOrganisations(ctx, func(tx pgx.Tx) error {
		if err := s.store.SetStatementTimeout(ctx, tx, s.config.Timeout); err != nil {
			return err
		}
		return f(tx)
	})
}
