package process

import (
	"bytes"
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
	"github.com/loadbay/loadbay/shared/sheet/value"
)

// maxText bounds a text field without a limit of its own: what a cell of a
// spreadsheet can hold.
const maxText = 32_767

// decode reads the chunk's rows into a batch. Rows that cannot be taken get
// their outcome here; the others are the batch.
func (s *Step) decode(ctx context.Context, w *work) error {
	body, err := s.files.Range(ctx, w.chunk.Key, w.chunk.Offset, w.chunk.Length)
	if err != nil {
		return err
	}
	rows, err := reader.OpenChunk(body, &w.dialect, sheet.Chunk{
		Index: w.chunk.Index, Offset: w.chunk.Offset, Length: w.chunk.Length, FirstRow: w.chunk.FirstRow,
		Lines: w.chunk.Lines, Rows: w.chunk.Rows, CRC32C: w.chunk.CRC32C,
	}, s.limits)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	defer rows.Close()
	d := newDecoding(w)
	for rows.Next() {
		d.row(rows.Row())
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read: %w", err)
	}
	if d.seen != w.chunk.Rows {
		return fmt.Errorf("%d rows were cut and %d were read", w.chunk.Rows, d.seen)
	}
	return nil
}

// decoding is the state of reading one chunk.
type decoding struct {
	*work
	value   *value.Decoder
	again   bool // only deferred rows are decided
	checker entity.RowChecker
	seen    int
	faults  []job.Fault
}

func newDecoding(w *work) *decoding {
	d := &decoding{work: w, value: value.New(&w.dialect)}
	d.checker, _ = w.kind.(entity.RowChecker)
	w.batch = entity.NewBatch(w.plan.declaration, w.plan.mapped, w.chunk.Rows)
	w.batch.Organisation, w.batch.Source, w.batch.Mode = w.job.OrganisationID, w.job.ID, entity.Mode(w.job.Mode)
	if w.job.ContextID != nil {
		w.batch.Context = *w.job.ContextID
	}
	w.texts = make(map[int]*entity.Column)
	for _, b := range w.plan.bindings {
		if b.def.Kind == entity.Reference {
			texts := entity.NewColumn(entity.Text, w.chunk.Rows)
			w.texts[b.field] = &texts
		}
	}
	d.again = w.chunk.Outcomes != nil
	w.before = job.Count(w.chunk.Outcomes)
	w.outcomes = bytes.Clone(w.chunk.Outcomes)
	if !d.again {
		w.outcomes = bytes.Repeat([]byte{byte(job.Blank)}, w.chunk.Lines)
	}
	return d
}

// row decides what becomes of one row as far as it can be told without the
// database.
func (d *decoding) row(r *sheet.Row) {
	d.seen++
	at := r.Number - d.chunk.FirstRow
	if d.again && job.Outcome(d.outcomes[at]) != job.Deferred {
		return
	}
	n := d.batch.Len()
	d.faults = nil
	if r.Fault != "" {
		d.fail(job.Fault{Code: r.Fault, Message: value.Reason(problem.Code(r.Fault))})
	} else {
		for i := range d.plan.bindings {
			d.cell(&d.plan.bindings[i], r)
		}
		d.required()
	}
	if d.faults == nil {
		d.batch.Commit(r.Number)
		d.check(n)
	}
	if d.faults != nil {
		d.batch.Discard(n)
		for _, texts := range d.texts {
			texts.Truncate(n)
		}
		d.outcomes[at] = byte(job.Errored)
		d.results = append(d.results, job.RowResult{Row: r.Number, Outcome: job.Errored, Faults: d.faults})
		return
	}
	d.outcomes[at] = byte(job.Pending)
}

func (d *decoding) fail(f job.Fault) { d.faults = append(d.faults, f) }

// check applies the type's rules over several fields.
func (d *decoding) check(n int) {
	if d.checker == nil {
		return
	}
	for _, f := range d.checker.CheckRow(d.batch, n) {
		d.fail(faultOf(f))
	}
}

// required finds fields that must have a value and that no column is mapped to.
// Before processing begins every required field has one; this holds if not.
func (d *decoding) required() {
	for i := range d.plan.declaration.Fields {
		if f := &d.plan.declaration.Fields[i]; f.Required && !d.plan.mapped[i] {
			d.fail(job.Fault{Code: string(problem.CellRequired), Field: f.Name, Message: value.Reason(problem.CellRequired)})
		}
	}
}

// cell decodes one cell into its field's column.
func (d *decoding) cell(b *binding, r *sheet.Row) {
	var c sheet.Cell
	if b.column < len(r.Cells) {
		c = r.Cells[b.column]
	}
	if value.Blank(c) {
		if b.def.Required {
			d.fail(job.Fault{Code: string(problem.CellRequired), Field: b.def.Name, Message: value.Reason(problem.CellRequired)})
			return
		}
		d.batch.Columns[b.field].AppendNull()
		if texts := d.texts[b.field]; texts != nil {
			texts.AppendNull()
		}
		return
	}
	code := d.append(b, c)
	if code == "" && b.bounds != nil {
		code = b.bounds.check(&d.batch.Columns[b.field])
	}
	if code != "" {
		d.fail(job.Fault{
			Code: string(code), Field: b.def.Name, Value: entity.Shorten(string(c.Bytes)),
			Message: b.explain(code, d.value.Explain(c, code)),
		})
	}
}

// append decodes a cell that is not blank and appends its value.
func (d *decoding) append(b *binding, c sheet.Cell) problem.Code {
	column := &d.batch.Columns[b.field]
	switch b.def.Kind {
	case entity.Integer:
		v, code := d.value.Int64(c)
		return appended(code, func() { column.AppendInt64(v) })
	case entity.Boolean:
		v, code := d.value.Bool(c)
		return appended(code, func() { column.AppendBool(v) })
	case entity.UUID:
		v, code := d.value.UUID(c)
		return appended(code, func() { column.AppendUUID(v) })
	case entity.Date:
		v, code := d.value.Date(c)
		return appended(code, func() { column.AppendDate(v) })
	case entity.Timestamp:
		v, code := d.value.Timestamp(c)
		return appended(code, func() { column.AppendInt64(v) })
	case entity.Enum:
		v, code := d.value.Enum(c, b.enum.words)
		return appended(code, func() { column.AppendText([]byte(b.enum.values[v])) })
	case entity.Decimal:
		v, code := d.value.Decimal(c)
		return appended(code, func() { column.AppendText(v) })
	case entity.Email:
		v, code := d.value.Email(c)
		return d.appendText(b, column, lower(v), code)
	case entity.TextList:
		v, code := d.value.List(c)
		return d.appendText(b, column, v, code)
	case entity.Reference:
		v, code := d.value.Text(c)
		if code == "" {
			column.AppendNull() // until the text is resolved
		}
		return d.appendText(b, d.texts[b.field], entity.ReferenceText(v), code)
	default:
		v, code := d.value.Text(c)
		return d.appendText(b, column, bytes.TrimSpace(v), code)
	}
}

func appended(code problem.Code, add func()) problem.Code {
	if code == "" {
		add()
	}
	return code
}

func (d *decoding) appendText(b *binding, column *entity.Column, v []byte, code problem.Code) problem.Code {
	limit := b.def.MaxLength
	if limit == 0 {
		limit = maxText
	}
	if code == "" && len(v) > limit && utf8.RuneCount(v) > limit {
		code = problem.CellTooLong
	}
	if code == "" && b.pattern != nil && !b.pattern.Match(v) {
		code = problem.CellPattern
	}
	return appended(code, func() { column.AppendText(v) })
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

// faultOf is a type's fault as the job keeps it.
func faultOf(f entity.Fault) job.Fault {
	return job.Fault{Code: string(f.Code), Field: f.Field, Value: f.Value, Message: f.Message}
}
