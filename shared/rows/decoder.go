package rows

import (
	"bytes"
	"math"
	"time"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/value"
)

// maxText bounds a text field without a limit of its own: what a cell of a
// spreadsheet can hold.
const maxText = 32_767

// Decoder collects the rows that are valid, as far as it can be known without the
// database.
type Decoder struct {
	Batch *entity.Batch
	// Texts holds, for each reference field, what stood in its cells: a row of
	// the batch each.
	Texts map[int]*entity.Column
	// Words are those in which row errors about the batch are to be stored.
	Words *Words
	// Outcome is what becomes of the row that Add has not taken: ERROR, unless a person
	// leaves rows with one of its values out, or is still to say what one stands for.
	Outcome job.Outcome

	plan    *Plan
	values  []*value.Decoder // of the plan's bindings
	compose []*Composer      // of the plan's bindings; nil for those of a column as it stands
	// corrected is what fields are read as instead of what the file has, by row and field.
	corrected map[int64]map[string]sheet.Cell
	today     int32 // as in Column.AppendDate: the last day that is not in the future
	rowErrs   []job.RowError
	judging   judging // of the row
	shown     []byte  // the last value as stored has it
	// questions are those of all rows.
	questions map[question]*job.MappedCell
}

// NewDecoder returns a decoder for rows of a job's file, with room for n rows.
func NewDecoder(plan *Plan, j *job.Job, dialect *sheet.Dialect, n int) *Decoder {
	d := &Decoder{Batch: entity.NewBatch(plan.Declaration, plan.mapped, n), Texts: make(map[int]*entity.Column), Words: &Words{declaration: plan.Declaration}, plan: plan, today: lastDay(j.CreatedAt)}
	d.Batch.Organisation, d.Batch.Source, d.Batch.Mode = j.OrganisationID, int64(j.Key), entity.Mode(j.Mode)
	if j.ContextID != nil {
		d.Batch.Context = *j.ContextID
	}
	file := value.New(dialect)
	for _, b := range plan.bindings {
		d.values = append(d.values, file.For(b.locale))
		d.compose = append(d.compose, b.composer(dialect))
		if b.def.Kind == entity.Reference {
			texts := entity.NewColumn(entity.Text, n)
			d.Texts[b.field] = &texts
		}
	}
	return d
}

// Add adds a row to the batch, or returns why it is not taken: all that is wrong with it,
// or which of its values decide that.
func (d *Decoder) Add(r *sheet.Row) []job.RowError {
	n := d.Batch.Len()
	d.rowErrs, d.judging = nil, judging{}
	d.Words.decoding(r.Number)
	if r.ErrorCode != "" && !d.wholly(r.Number) {
		d.fail(r, entity.RowError{Code: problem.Code(r.ErrorCode), Message: value.Reason(problem.Code(r.ErrorCode))})
	} else {
		for i := range d.plan.bindings {
			d.cell(i, r)
		}
		d.required(r)
	}
	if d.rowErrs == nil && d.judging.left == nil {
		d.Batch.Commit(r.Number)
		d.check(r, n)
	}
	if d.rowErrs == nil && d.judging.left == nil {
		return nil
	}
	d.Batch.Discard(n)
	for _, texts := range d.Texts {
		texts.Truncate(n)
	}
	var faults []job.RowError
	d.Outcome, faults = d.conclude(r)
	return faults
}

func (d *Decoder) fail(r *sheet.Row, f entity.RowError) {
	d.rowErrs = append(d.rowErrs, d.Words.RowError(r.Number, f))
}

// check applies the type's rules over several fields.
func (d *Decoder) check(r *sheet.Row, n int) {
	for i := range d.plan.rules {
		if f := d.plan.rules[i].Check(d.Batch, n, d.plan.rules[i].at); f != nil {
			d.fail(r, *f)
		}
	}
}

// required refuses rows of a file that has no column for a required field.
// Before processing begins every one has its column; this holds if not.
func (d *Decoder) required(r *sheet.Row) {
	for _, f := range d.plan.missing {
		d.fail(r, missing(f))
	}
}

// missing is the row error of a row without a value for a required field.
func missing(f *entity.Field) entity.RowError {
	return entity.RowError{Code: problem.CellRequired, Field: f.Name, Message: explain(f, problem.CellRequired, value.Reason(problem.CellRequired))}
}

// cell decodes the cell of a binding into its field's column.
func (d *Decoder) cell(i int, r *sheet.Row) {
	b, values, compose := &d.plan.bindings[i], d.values[i], d.compose[i]
	if c, ok := d.correction(b, r.Number); ok {
		d.decode(b, values, r, c, c)
		return
	}
	if compose == nil {
		c := at(r, b.column)
		d.decode(b, values, r, c, c)
		return
	}
	c, misfit := compose.Cell(r)
	written := sheet.Cell{Kind: sheet.Text, Bytes: compose.Written()}
	if misfit != nil {
		d.fail(r, entity.RowError{Code: misfit.Code, Field: b.def.Name, Value: entity.Shorten(string(written.Bytes)), Message: misfit.Message})
		return
	}
	d.decode(b, values, r, c, written)
}

// decode decodes a cell, which the file has written otherwise where it is composed.
func (d *Decoder) decode(b *binding, values *value.Decoder, r *sheet.Row, c, written sheet.Cell) {
	if b.blank(c) {
		if b.def.Required {
			d.fail(r, missing(b.def))
			return
		}
		d.Batch.Columns[b.field].AppendNull()
		if texts := d.Texts[b.field]; texts != nil {
			texts.AppendNull()
		}
		return
	}
	if b.def.Listed() && d.plan.answers[b.field] != nil {
		if text, ok := textOf(values, c); ok && d.heed(b, string(text), r) {
			return
		}
	}
	code := d.append(b, values, c)
	if unknownWord(code) {
		if text, ok := textOf(values, c); ok && d.heed(b, string(text), r) {
			return
		}
	}
	if code == "" && b.bounds != nil {
		code = b.bounds.check(&d.Batch.Columns[b.field])
	}
	if code != "" {
		d.fail(r, entity.RowError{
			Code: code, Field: b.def.Name, Value: entity.Shorten(string(written.Shown())),
			Message: explain(b.def, code, values.Explain(c, code)),
		})
		return
	}
	if rewritten(b.def.Kind) && !d.plan.guesses { // nobody is told anything of keys alone
		d.Words.note(r.Number, b.def.Name, bytes.TrimSpace(written.Shown()), d.stored(b))
	}
}

// stored is how the value that was appended last is shown; it is valid until the next call.
func (d *Decoder) stored(b *binding) []byte {
	column := &d.Batch.Columns[b.field]
	v, _ := column.Bytes(column.Len() - 1)
	if b.def.Kind == entity.UUID {
		d.shown = appendUUID(d.shown[:0], v)
		return d.shown
	}
	return v
}

// blank reports whether the cell gives the field no value.
func (b *binding) blank(c sheet.Cell) bool {
	written := c.Kind == sheet.Text || c.Kind == sheet.Number || c.Kind == sheet.Formatted
	return value.Blank(c) || written && b.def.Identifying && entity.IsPlaceholder(c.Shown())
}

// append decodes a cell that is not blank and appends its value.
func (d *Decoder) append(b *binding, values *value.Decoder, c sheet.Cell) problem.Code {
	column := &d.Batch.Columns[b.field]
	switch b.def.Kind {
	case entity.Integer:
		v, code := values.Int64(c)
		return appended(code, func() { column.AppendInt64(v) })
	case entity.Boolean:
		v, code := values.Bool(c)
		return appended(code, func() { column.AppendBool(v) })
	case entity.UUID:
		v, code := values.UUID(c)
		return appended(code, func() { column.AppendUUID(v) })
	case entity.Date:
		v, code := values.Date(c)
		if code == "" && b.def.Past && v > d.today {
			code = problem.CellRange
		}
		return appended(code, func() { column.AppendDate(v) })
	case entity.Timestamp:
		v, code := values.Timestamp(c)
		return appended(code, func() { column.AppendInt64(v) })
	case entity.Enum:
		v, code := values.Enum(c, b.enum.words)
		return appended(code, func() { column.AppendText([]byte(b.enum.values[v])) })
	case entity.Decimal:
		v, code := values.Decimal(c)
		return appended(code, func() { column.AppendText(v) })
	case entity.Email:
		v, code := values.Email(c)
		return d.appendText(b, column, lower(v), code)
	case entity.TextList:
		v, code := values.List(c)
		return d.appendText(b, column, v, code)
	case entity.Reference:
		v, code := values.Text(c)
		if code == "" {
			column.AppendNull() // until the text is resolved
		}
		return d.appendText(b, d.Texts[b.field], entity.ReferenceText(v), code)
	default:
		v, code := values.Text(c)
		return d.appendText(b, column, bytes.TrimSpace(v), code)
	}
}

func appended(code problem.Code, add func()) problem.Code {
	if code == "" {
		add()
	}
	return code
}

func (d *Decoder) appendText(b *binding, column *entity.Column, v []byte, code problem.Code) problem.Code {
	limit := b.def.MaxLength
	if limit == 0 {
		limit = maxText
	}
	if code == "" && len(v) > limit && utf8.RuneCount(v) > limit {
		code = problem.CellTooLong
	}
	if code == "" && b.def.Identifying && entity.HasLostDigits(v) {
		code = problem.CellPrecision
	}
	if code == "" && b.pattern != nil && !b.pattern.Match(v) {
		code = problem.CellPattern
	}
	return appended(code, func() { column.AppendText(v) })
}

// lastDay is the day of a moment where the day is furthest on, in days since
// 2000-01-01. A job is judged by the day it was made on, so that each attempt at
// it comes to the same; without one every day is past.
func lastDay(made time.Time) int32 {
	if made.IsZero() {
		return math.MaxInt32
	}
	const eastmost = 14 * time.Hour
	return int32(made.Add(eastmost).Sub(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)) / (24 * time.Hour))
}

// lower returns v in lower case; v itself, as nearly always, where it is.
func lower(v []byte) []byte {
	for _, c := range v {
		if c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf {
			return bytes.ToLower(v)
		}
	}
	return v
}

// OutcomeOf is the job's word for the outcome of an entity.
func OutcomeOf(o entity.Outcome) job.Outcome { return outcomes[o] }

var outcomes = [...]job.Outcome{
	entity.Created: job.Created, entity.Updated: job.Updated, entity.Unchanged: job.Unchanged, entity.Skipped: job.Skipped, entity.Rejected: job.Errored,
}
