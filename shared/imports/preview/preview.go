// Package preview shows the effect of a mapping on the first rows of an import's file: the original
// cells, the text that the mapping makes of them, and the parsed value or its error. References are
// not looked up, and nothing is changed.
//
// Tested by shared/httpapi: through the API, on a real database.
package preview

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/imports/requestwork"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/mapping/apply"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
	"github.com/loadbay/loadbay/shared/transform"
)

// Limits of a preview.
const (
	MaxRows      = 50
	surveyedRows = 1_000   // rows from which date and number formats are detected
	maxTextBytes = 1 << 20 // of the texts in the result; the first row is always included
)

// Store loads jobs and their columns.
type Store interface {
	requestwork.Slots
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	ColumnMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedColumn, error)
}

// Files opens sources.
type Files interface {
	Open(ctx context.Context, v object.Version) sheet.Source
}

// Types finds import types; see catalog.Catalog.
type Types interface {
	Type(ctx context.Context, tx pgx.Tx, organisation tenant.ID, name string, version int) (entity.Type, error)
}

// Service previews mappings.
type Service struct {
	store  Store
	files  Files
	types  Types
	limits sheet.Limits
}

// New returns the service.
func New(store Store, files Files, types Types, limits sheet.Limits) *Service {
	return &Service{store: store, files: files, types: types, limits: limits}
}

// Result is the result of applying a mapping to rows.
type Result struct {
	Columns []job.MappedColumn // one entry per field, with its reading options
	Rows    []Row
}

// Row is a row of the file.
type Row struct {
	Number int64
	Code   problem.Code // why the row cannot be imported unchanged, or ""
	Values []Value      // in the order of Result.Columns
}

// Value is the value of a field in a row.
type Value struct {
	Cells []string // original texts, shortened
	Text  string   // composed text; "" after an error
	rows.Value
}

// Run applies the fields of a mapping document to up to limit rows. MAPPING_INVALID if the document
// is not valid or the file lacks a column; STATE_CONFLICT before the file is analysed; GONE if the
// file is no longer stored.
func (s *Service) Run(ctx context.Context, ref job.Ref, text json.RawMessage, limit int) (*Result, error) {
	a := &run{Service: s}
	if err := a.load(ctx, ref); err != nil {
		return nil, err
	}
	d, err := apply.Parse(text, a.kind.Declaration())
	if err != nil {
		return nil, err
	}
	applied, err := apply.ToColumnsStrict(d, apply.ResetColumns(a.columns))
	if err != nil {
		return nil, err
	}
	for _, c := range applied {
		if c.TargetField != "" {
			a.out.Columns = append(a.out.Columns, c)
		}
	}
	if len(a.out.Columns) == 0 {
		return &a.out, nil
	}
	if err := a.detectLocales(ctx); err != nil {
		return nil, asGone(err)
	}
	if err := a.decodeRows(ctx, limit); err != nil {
		return nil, asGone(err)
	}
	return &a.out, nil
}

// asGone returns the API error for a file that is no longer stored.
func asGone(err error) error {
	if problem.CodeOf(err) == problem.UploadMissing {
		return problem.New(problem.Gone, "The file of this import has been deleted.")
	}
	return err
}

// run is one preview.
type run struct {
	*Service
	kind    entity.Type
	job     *job.Job
	dialect sheet.Dialect
	columns []job.MappedColumn
	out     Result
}

func (a *run) load(ctx context.Context, ref job.Ref) error {
	err := a.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		if a.job, err = a.store.Job(ctx, tx, ref.JobID); err != nil {
			return err
		}
		a.columns, err = a.store.ColumnMappings(ctx, tx, a.job.Key)
		return err
	})
	if err != nil {
		return err
	}
	if len(a.job.Dialect) == 0 {
		return problem.New(problem.StateConflict, "The file of this import has not been analysed yet.")
	}
	if err := json.Unmarshal(a.job.Dialect, &a.dialect); err != nil {
		return fmt.Errorf("decode reading options of job %s: %w", a.job.ID, err)
	}
	a.kind, err = a.types.Type(ctx, nil, ref.OrganisationID, a.job.ImportType, a.job.TypeVersion)
	return err
}

// detectLocales detects undecided formats of texts in the first rows.
func (a *run) detectLocales(ctx context.Context) error {
	survey, err := rows.NewLocaleSurvey(ctx, a.kind.Declaration(), a.out.Columns, &a.dialect, true)
	if err != nil || !survey.Needed() {
		return err
	}
	survey.LimitToRequest(ctx)
	err = a.eachRow(ctx, surveyedRows, func(r *sheet.Row) bool {
		survey.Add(r)
		return true
	})
	survey.Finish()
	return err
}

// eachRow calls do for the first rows of the file, until do returns false.
func (a *run) eachRow(ctx context.Context, limit int, do func(*sheet.Row) bool) error {
	file, err := reader.Open(ctx, a.files.Open(ctx, a.job.ObjectVersion()), &a.dialect, a.limits)
	if err != nil {
		return err
	}
	for n := 0; n < limit && file.Next() && do(file.Row()); n++ {
	}
	return errors.Join(file.Err(), file.Close())
}

// decodeRows decodes the rows of the result.
func (a *run) decodeRows(ctx context.Context, limit int) error {
	decl := a.kind.Declaration()
	plan, err := rows.NewPlan(decl, a.out.Columns)
	if err != nil {
		return err
	}
	decoder := rows.NewDecoder(plan, a.job, &a.dialect, limit)
	work, release := requestwork.Open(ctx, a.store, a.job.OrganisationID, transform.PreviewWork)
	defer release()
	decoder.Budget.Limit(ctx, work)
	budget := transform.NewBudget()
	budget.Limit(ctx, work)
	composers := make([]*rows.Composer, len(a.out.Columns))
	for i := range a.out.Columns {
		made, err := rows.NewComposition(&decl.Fields[decl.FieldIndex(a.out.Columns[i].TargetField)], &a.out.Columns[i])
		if err != nil {
			return err
		}
		composers[i] = made.NewComposer(&a.dialect, budget)
	}
	size := 0
	err = a.eachRow(ctx, limit, func(r *sheet.Row) bool {
		rows.StartRow(budget, r)
		row := Row{Number: r.Number, Code: problem.Code(r.ErrorCode)}
		if r.ErrorCode == "" {
			for i, value := range decoder.ReadValues(r) {
				row.Values = append(row.Values, a.value(i, composers[i], value, r))
			}
		}
		for _, v := range row.Values {
			size += v.size()
		}
		if size > maxTextBytes && len(a.out.Rows) > 0 {
			return false
		}
		a.out.Rows = append(a.out.Rows, row)
		return decoder.Budget.Err() == nil && budget.Err() == nil
	})
	return errors.Join(err, cmp.Or(decoder.Budget.Err(), budget.Err()))
}

// value returns the value of a field in a row.
func (a *run) value(i int, c *rows.Composer, found rows.Value, r *sheet.Row) Value {
	v := Value{Value: found}
	for _, place := range a.out.Columns[i].Columns() {
		text := ""
		if place < len(r.Cells) {
			text = entity.Shorten(string(r.Cells[place].DisplayText()))
		}
		v.Cells = append(v.Cells, text)
	}
	if cell, misfit := c.Cell(r); misfit == nil {
		v.Text = entity.Shorten(string(cell.DisplayText()))
	}
	if v.Typed != nil {
		v.Typed = new(entity.Shorten(*v.Typed))
	}
	return v
}

// size estimates the size of the value in a response in bytes.
func (v *Value) size() int {
	n := len(v.Text)
	for _, c := range v.Cells {
		n += len(c)
	}
	if v.Typed != nil {
		n += len(*v.Typed)
	}
	return n
}
