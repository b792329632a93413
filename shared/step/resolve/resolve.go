// Package resolve finds out which entities the values of a file stand for,
// before its rows are processed: it reads the reference columns once, looks at
// distinct values only, and has a person asked about those that it cannot decide.
package resolve

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/callback"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/recall"
	"github.com/loadbay/loadbay/shared/object"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
	"github.com/loadbay/loadbay/shared/sheet/value"
	"github.com/loadbay/loadbay/shared/telemetry"
	"github.com/loadbay/loadbay/shared/tenant"
)

// Store is the database: what each part of the step asks of it is declared there.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	Jobs
	Mappings
	Memory
}

// Jobs keeps jobs.
type Jobs interface {
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	LockJob(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	Transition(ctx context.Context, tx pgx.Tx, key job.Key, t job.Transition) (job.Status, bool, error)
	AddWarnings(ctx context.Context, tx pgx.Tx, key job.Key, warnings []string) error
	AnnounceWaiting(ctx context.Context, tx pgx.Tx, key job.Key) error
}

// Mappings keeps what columns are and what values stand for.
type Mappings interface {
	ColumnMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedColumn, error)
	CellMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedCell, error)
	AddCellMappings(ctx context.Context, tx pgx.Tx, j *job.Job, mappings []job.MappedCell) error
}

// Files opens sources.
type Files interface {
	Open(ctx context.Context, v object.Version) sheet.Source
}

// EventPublisher publishes the event that a job waits for a person, and records
// transitions.
type EventPublisher interface {
	job.Recorder
	Job(ctx context.Context, ref job.Ref)
}

// Types finds import types.
type Types interface {
	ByName(name string) (entity.Type, bool)
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

// NextSplit is the result when there is nothing to ask.
const NextSplit = "SPLIT"

// Run resolves values and says where the execution goes on: at CELL_MAPPING when
// a person is to be asked, else at SPLIT.
func (s *Step) Run(ctx context.Context, ref job.Ref) (callback.Result, error) {
	var j *job.Job
	var columns []job.MappedColumn
	var remembers bool
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		if j, err = s.store.Job(ctx, tx, ref.JobID); err != nil {
			return err
		}
		if columns, err = s.store.ColumnMappings(ctx, tx, j.Key); err != nil {
			return err
		}
		remembers, err = s.store.RecallsCells(ctx, tx, j.ImportType)
		return err
	})
	if err != nil {
		return callback.Result{}, fmt.Errorf("resolve: %w", err)
	}
	ctx = telemetry.WithJob(ctx, j)
	if j.Status == job.Processing {
		return callback.Result{Next: NextSplit}, nil // "start" has skipped this phase
	}
	if j.Status == job.Uploaded {
		return callback.Result{Next: callback.NextCells}, nil // an earlier attempt asked, and the file is to be read again: the wait sees that
	}
	if j.Status != job.CellMapping {
		return callback.Result{}, problem.New(problem.StateConflict, "The import %s; its values cannot be looked up any more.", j.Status.Clause())
	}
	kind, ok := s.types.ByName(j.ImportType)
	if !ok {
		return callback.Result{}, fmt.Errorf("resolve: there is no import type %q", j.ImportType)
	}
	references := referenceColumns(kind.Declaration(), columns)
	// A one-shot import asks nobody, but what was decided before holds for it too.
	if len(references) > 0 && (!j.AutoStart || remembers) {
		if err := s.collect(ctx, j, references); err != nil {
			return callback.Result{}, fmt.Errorf("resolve: %w", err)
		}
	}
	return s.decide(ctx, ref)
}

// referenceColumns returns, by column of the file, the reference fields.
func referenceColumns(d *entity.Declaration, columns []job.MappedColumn) map[int]*entity.Field {
	found := make(map[int]*entity.Field)
	for _, c := range columns {
		if field := d.FieldIndex(c.TargetField); field >= 0 && d.Fields[field].Kind == entity.Reference {
			found[c.ColumnIndex] = &d.Fields[field]
		}
	}
	return found
}

// maxValues bounds what a person can be asked about one column. Values beyond
// it are met while processing.
const maxValues = 10_000

// maxValueBytes bounds the text of the values of one column: a person and an answer
// take names, not whatever a cell can hold.
const maxValueBytes = 4 << 20

// distinct are the distinct values of one column.
type distinct struct {
	cells map[string]*job.MappedCell
	size  int // bytes of their texts
}

// collect reads the reference columns and keeps what their values stand for.
func (s *Step) collect(ctx context.Context, j *job.Job, references map[int]*entity.Field) error {
	var dialect sheet.Dialect
	if err := json.Unmarshal(j.Dialect, &dialect); err != nil {
		return fmt.Errorf("dialect: %w", err)
	}
	rows, err := reader.Open(ctx, s.files.Open(ctx, j.Source()), &dialect, s.limits)
	if err != nil {
		return err
	}
	defer rows.Close()
	values := make(map[*entity.Field]*distinct, len(references))
	for _, f := range references {
		values[f] = &distinct{cells: make(map[string]*job.MappedCell)}
	}
	decoder := value.New(&dialect)
	for rows.Next() {
		r := rows.Row()
		for column, f := range references {
			if column >= len(r.Cells) {
				continue
			}
			if text, code := decoder.Text(r.Cells[column]); code == "" {
				values[f].note(f, text, r.Number)
			}
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) error {
		var recalled recall.Warnings
		fields := slices.SortedFunc(maps.Keys(values), func(a, b *entity.Field) int { return strings.Compare(a.Name, b.Name) })
		for _, f := range fields {
			if err := s.save(ctx, tx, j, f, values[f].cells, &recalled); err != nil {
				return err
			}
		}
		return s.store.AddWarnings(ctx, tx, j.Key, recalled.Lines())
	})
}

// note counts a cell's value.
func (d *distinct) note(f *entity.Field, cell []byte, row int64) {
	text := entity.ReferenceText(cell)
	if len(text) == 0 {
		return
	}
	m, ok := d.cells[string(text)]
	if !ok {
		if len(d.cells) == maxValues || d.size+len(text) > maxValueBytes {
			return
		}
		m = &job.MappedCell{TargetField: f.Name, Value: string(text), Status: job.Unresolved, FirstRow: row}
		d.cells[m.Value] = m
		d.size += len(text)
	}
	m.Rows++
}

// save keeps what the values of a field stand for: what people decided before
// where the type does not know. A one-shot import leaves the rest to processing.
func (s *Step) save(ctx context.Context, tx pgx.Tx, j *job.Job, f *entity.Field, found map[string]*job.MappedCell, recalled *recall.Warnings) error {
	texts := slices.Sorted(maps.Keys(found))
	var contextID int64
	if j.ContextID != nil {
		contextID = *j.ContextID
	}
	ids, err := f.Lookup.Resolve(ctx, tx, contextID, texts)
	if err != nil {
		return err
	}
	decided, err := s.recall(ctx, tx, j.ImportType, f, contextID, texts)
	if err != nil {
		return err
	}
	mappings := make([]job.MappedCell, 0, len(texts))
	for _, text := range texts {
		m := *found[text]
		if id, ok := ids[text]; ok {
			m.Status, m.EntityID = job.AutoMatched, strconv.FormatInt(id, 10)
		}
		decided.apply(f.Lookup, &m, recalled)
		if !j.AutoStart || m.Confirmed {
			mappings = append(mappings, m)
		}
	}
	return s.store.AddCellMappings(ctx, tx, j, mappings)
}

// decide goes on to processing if nothing is left to ask.
func (s *Step) decide(ctx context.Context, ref job.Ref) (callback.Result, error) {
	var v verdict
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		v, err = s.judge(ctx, tx, ref.JobID)
		return err
	})
	if err != nil {
		return callback.Result{}, fmt.Errorf("resolve: %w", err)
	}
	if v.from != "" {
		s.events.Record(ctx, v.job, v.from, job.Processing)
	}
	if v.asks { // which is no transition
		s.events.Job(ctx, ref)
	}
	if v.asks || v.job.Status == job.Uploaded {
		return callback.Result{Next: callback.NextCells}, nil
	}
	return callback.Result{Next: NextSplit}, nil
}

// verdict is how the job goes on.
type verdict struct {
	job  *job.Job
	from job.Status // which it has left to be processed, or ""
	asks bool       // it waits for a person
}

// judge is the transaction of decide.
func (s *Step) judge(ctx context.Context, tx pgx.Tx, id job.ID) (v verdict, err error) {
	if v.job, err = s.store.LockJob(ctx, tx, id); err != nil {
		return v, err
	}
	cells, err := s.store.CellMappings(ctx, tx, v.job.Key)
	if err != nil {
		return v, err
	}
	v.asks = v.job.Status == job.CellMapping && slices.ContainsFunc(cells, func(m job.MappedCell) bool { return m.Status == job.Unresolved })
	if v.asks {
		return v, s.store.AnnounceWaiting(ctx, tx, v.job.Key)
	}
	v.from, _, err = s.store.Transition(ctx, tx, v.job.Key, job.Transition{To: job.Processing, ExpectedFrom: job.CellMapping})
	return v, err
}
