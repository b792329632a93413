// Package resolve matches the values of a file before its rows are processed. It reads the
// columns of references, of texts from a list and of enums once, looks up distinct values only,
// and starts a question about those that it cannot decide.
package resolve

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/imports/reading"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Store is the database. Each part of the step declares the methods it needs.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	Jobs
	Mappings
	InitialMappings
	reading.Slots
}

// Jobs reads and updates jobs.
type Jobs interface {
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	LockJob(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	Transition(ctx context.Context, tx pgx.Tx, key job.Key, t job.Transition) (job.Status, bool, error)
	AddWarnings(ctx context.Context, tx pgx.Tx, key job.Key, warnings []string) error
	AddWaitingEvent(ctx context.Context, tx pgx.Tx, key job.Key) error
}

// Mappings stores column and value mappings.
type Mappings interface {
	ColumnMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedColumn, error)
	SaveColumnDecisions(ctx context.Context, tx pgx.Tx, key job.Key, columns []job.MappedColumn) error
	CellMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedCell, error)
	AddCellMappings(ctx context.Context, tx pgx.Tx, j *job.Job, mappings []job.MappedCell) error
}

// Files opens sources.
type Files interface {
	Open(ctx context.Context, v object.Version) sheet.Source
}

// EventPublisher publishes the event of a job that waits for a person, and records transitions.
type EventPublisher interface {
	job.Recorder
	PublishJob(ctx context.Context, ref job.Ref)
}

// Types finds import types; see catalog.Catalog.
type Types interface {
	Type(ctx context.Context, tx pgx.Tx, organisation tenant.ID, name string, version int) (entity.Type, error)
}

// Step is the resolve function.
type Step struct {
	store  Store
	files  Files
	types  Types
	events EventPublisher
	limits sheet.Limits
	log    *slog.Logger
}

// New returns the step.
func New(store Store, files Files, types Types, announcer EventPublisher, limits sheet.Limits, log *slog.Logger) *Step {
	return &Step{store: store, files: files, types: types, events: announcer, limits: limits, log: log}
}

// Next states of the execution, in addition to callback.NextCells.
const (
	NextSplit          = "SPLIT"                   // no question to ask
	NextWholeFile      = "WHOLE_FILE"              // the same for a whole-file import
	NextWholeFileCells = "WHOLE_FILE_CELL_MAPPING" // a whole-file import with a question about values
)

// Run resolves values and returns the next state of the execution.
func (s *Step) Run(ctx context.Context, ref job.Ref) (callback.Result, error) {
	var j *job.Job
	var columns []job.MappedColumn
	var sources []valueMapping
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		if j, err = s.store.Job(ctx, tx, ref.JobID); err != nil {
			return err
		}
		if columns, err = s.store.ColumnMappings(ctx, tx, j.Key); err != nil {
			return err
		}
		sources, err = s.loadMappings(ctx, tx, j)
		return err
	})
	if err != nil {
		return callback.Result{}, fmt.Errorf("resolve: %w", err)
	}
	ctx = telemetry.WithJob(ctx, j)
	if j.Status == job.CellMapping || j.Status == job.Processing {
		release, err := reading.TakeSlot(ctx, s.store, ref, j, columns)
		if err != nil {
			return callback.Result{}, fmt.Errorf("resolve: %w", err)
		}
		defer release()
		if err := s.detectComposedLocales(ctx, j, columns); err != nil {
			return callback.Result{}, fmt.Errorf("resolve: %w", err)
		}
	}
	if j.Status == job.Processing {
		return nextResult(j, false), nil // "start" has skipped this phase
	}
	if j.Status == job.Uploaded {
		return nextResult(j, true), nil // an earlier attempt asked, and the file is reanalyzed: the waiting state detects this
	}
	if j.Status != job.CellMapping {
		return callback.Result{}, statusConflict(j)
	}
	kind, err := s.types.Type(ctx, nil, j.OrganisationID, j.ImportType, j.TypeVersion)
	if err != nil {
		return callback.Result{}, fmt.Errorf("resolve: %w", err)
	}
	if err := s.collectValues(ctx, j, kind.Declaration(), columns, sources); err != nil {
		return callback.Result{}, fmt.Errorf("resolve: %w", err)
	}
	if asker, ok := kind.(entity.PersonAsker); ok && j.AsksForValues() {
		if err := s.collectPeople(ctx, j, asker, columns); err != nil {
			return callback.Result{}, fmt.Errorf("resolve: %w", err)
		}
	}
	return s.proceed(ctx, ref)
}

// statusConflict is the error of an import that no longer accepts matches of values.
func statusConflict(j *job.Job) error {
	return problem.New(problem.StateConflict, "The import %s, so its values can no longer be matched.", j.Status.Clause())
}

// nextResult returns the next state for a job that asks a person, or does not.
func nextResult(j *job.Job, asks bool) callback.Result {
	switch {
	case j.WholeFile && asks:
		return callback.Result{Next: NextWholeFileCells}
	case j.WholeFile:
		return callback.Result{Next: NextWholeFile}
	case asks:
		return callback.Result{Next: callback.NextCells}
	default:
		return callback.Result{Next: NextSplit}
	}
}

// proceed starts processing if there is nothing left to ask.
func (s *Step) proceed(ctx context.Context, ref job.Ref) (callback.Result, error) {
	var v transition
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		v, err = s.transitionJob(ctx, tx, ref.JobID)
		return err
	})
	if err != nil {
		return callback.Result{}, fmt.Errorf("resolve: %w", err)
	}
	if v.from != "" {
		s.events.Record(ctx, v.job, v.from, job.Processing)
	}
	if v.waits { // not a transition
		s.events.PublishJob(ctx, ref)
	}
	return nextResult(v.job, v.waits || v.job.Status == job.Uploaded), nil
}

// transition describes how the job continues.
type transition struct {
	job   *job.Job
	from  job.Status // the status before processing, or ""
	waits bool       // the job waits for a person
}

// transitionJob is the transaction of proceed.
func (s *Step) transitionJob(ctx context.Context, tx pgx.Tx, id job.ID) (v transition, err error) {
	if v.job, err = s.store.LockJob(ctx, tx, id); err != nil {
		return v, err
	}
	cells, err := s.store.CellMappings(ctx, tx, v.job.Key)
	if err != nil {
		return v, err
	}
	v.waits = v.job.Status == job.CellMapping && slices.ContainsFunc(cells, func(m job.MappedCell) bool { return m.Status == job.Unresolved })
	if v.waits {
		return v, s.store.AddWaitingEvent(ctx, tx, v.job.Key)
	}
	v.from, _, err = s.store.Transition(ctx, tx, v.job.Key, job.Transition{To: job.Processing, ExpectedFrom: job.CellMapping})
	return v, err
}
