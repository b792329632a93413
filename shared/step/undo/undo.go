// Package undo reverts the changes of an import: the parts of its change set one after the other,
// the latest one first, each in its own transaction. The order matters: a value that was changed
// twice is reverted twice, and references to an entity are removed before the entity. A chunk
// here is therefore a part of a change set, and its rows are the changes in it.
//
// The changes of an undo are captured like those of any other job, so that it can be undone in
// turn. A preview, and a plan that may have to be approved, is the same run in one transaction that
// is rolled back. An approved plan is computed again when it is written: the mode decides about
// what has changed since.
//
// Tested by shared/step: whole imports on a real database.
package undo

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// Store is the database. Each part of the step declares the methods it needs.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	Jobs
	Ledger
	Changes
	Entities
	KeptNotes
}

// Jobs reads jobs and advances them.
type Jobs interface {
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	LockJob(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	AddProgress(ctx context.Context, tx pgx.Tx, key job.Key, delta job.Counts, done int) (job.Progress, bool, error)
	MarkCallbackSent(ctx context.Context, tx pgx.Tx, key job.Key) error
}

// Types finds import types; see catalog.Catalog.
type Types interface {
	Type(ctx context.Context, tx pgx.Tx, organisation tenant.ID, name string, version int) (entity.Type, error)
}

// Step reverts the changes of imports.
type Step struct {
	store   Store
	types   Types
	metrics *telemetry.Metrics
	reserve time.Duration
	log     *slog.Logger
}

// New returns the step. reserve is the remaining time of an invocation that is required to start
// another part.
func New(store Store, types Types, metrics *telemetry.Metrics, reserve time.Duration, log *slog.Logger) *Step {
	return &Step{store: store, types: types, metrics: metrics, reserve: reserve, log: log}
}

// Handler runs a job and returns the next state of its execution.
type Handler = func(ctx context.Context, ref job.Ref) (callback.Result, error)

// Intercept returns a handler that runs undo jobs with the step, and other jobs with rest.
func (s *Step) Intercept(rest Handler) Handler {
	return func(ctx context.Context, ref job.Ref) (callback.Result, error) {
		j, err := s.loadJob(ctx, ref)
		switch {
		case err != nil:
			return callback.Result{}, fmt.Errorf("undo: %w", err)
		case j.Undo == nil:
			return rest(ctx, ref)
		}
		return s.run(ctx, j)
	}
}

func (s *Step) loadJob(ctx context.Context, ref job.Ref) (j *job.Job, err error) {
	err = s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		j, err = s.store.Job(ctx, tx, ref.JobID)
		return err
	})
	return j, err
}

// Run reverts all changes, or as many as the remaining time allows.
func (s *Step) Run(ctx context.Context, ref job.Ref) (callback.Result, error) {
	j, err := s.loadJob(ctx, ref)
	if err != nil {
		return callback.Result{}, fmt.Errorf("undo: %w", err)
	}
	return s.run(ctx, j)
}

func (s *Step) run(ctx context.Context, j *job.Job) (callback.Result, error) {
	began := time.Now()
	ctx = telemetry.WithJob(ctx, j)
	switch {
	case j.Status != job.Processing:
		return callback.Result{}, stoppedError(j)
	case j.Progress.RowsDone():
		return callback.Result{Next: callback.NextAfterRows(j, j.Progress.Counts)}, nil // an earlier attempt got here
	}
	defer func() {
		s.metrics.Duration("import.undo.duration", time.Since(began), telemetry.Dimension{Name: "importType", Value: j.TypeDimension()})
	}()
	next, err := s.revertAll(ctx, j)
	if err != nil {
		return callback.Result{}, fmt.Errorf("undo %s: %w", j.ID, err)
	}
	return callback.Result{Next: next}, nil
}

// stoppedError returns the error of a job that has ended in the meantime.
func stoppedError(j *job.Job) error {
	return problem.New(problem.StateConflict, "The undo %s, so no more changes are reverted.", j.Status.Clause())
}

// revertAll fills the ledger and processes it.
func (s *Step) revertAll(ctx context.Context, j *job.Job) (string, error) {
	w, err := s.begin(ctx, j)
	if err != nil {
		return "", err
	}
	if j.DryRun && w.progress.TotalRows > undo.MaxPreviewChanges {
		return "", problem.New(problem.PreviewTooLarge, "Together with later imports there are %d changes, and a preview covers at most %d.", w.progress.TotalRows, undo.MaxPreviewChanges)
	}
	if j.DryRun || j.IsPlanning() {
		return callback.NextAfterRows(j, w.progress.Counts), s.preview(ctx, w)
	}
	for p := w.progress; !p.RowsDone(); {
		if p, err = s.revertPart(ctx, w, p.ChunksDone); err != nil {
			return "", err
		}
		if !p.RowsDone() && s.outOfTime(ctx) {
			s.log.InfoContext(ctx, "rest continues in next invocation", "parts", p.ChunkTotal, "parts_done", p.ChunksDone)
			return callback.NextContinue, nil
		}
	}
	return callback.NextComplete, nil
}

// outOfTime reports whether the remaining time is too short for another part.
func (s *Step) outOfTime(ctx context.Context) bool {
	deadline, limited := ctx.Deadline()
	return limited && time.Until(deadline) < s.reserve
}
