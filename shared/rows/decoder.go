package rows

import (
	"bytes"
	"fmt"
	"math"
	"time"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/value"
	"github.com/loadbay/loadbay/shared/transform"
)

// maxText is the maximum length of a text field without its own limit: that of a spreadsheet
// cell.
const maxText = 32_767

// Decoder collects the rows that are valid, as far as this can be checked without the
// database.
type Decoder struct {
	Batch *entity.Batch
	// Texts contains the cell texts of each reference field, one per row of the batch.
	Texts map[int]*entity.Column
	// Errors formats row errors about the batch for storage.
	Errors *ErrorFormatter
	// Outcome is the outcome of a row that Add has rejected: ERROR, unless a decision excludes
	// the row or is still pending.
	Outcome rowwrite.Outcome
	// Budget bounds the work of the mapping's steps. Callers that limit it check its error after
	// each row.
	Budget *transform.Budget

	plan    *Plan
	values  []*value.Decoder // by binding
	compose []*Composer      // by binding; nil for unchanged columns
	// canonical decodes computed values: numbers with a point, dates as in ISO 8601.
	canonical *value.Decoder
	// corrected contains the corrected cells by row and field.
	corrected  map[int64]map[string]sheet.Cell
	today      int32 // last day that is not in the future, as in Column.AppendDate
	rowErrs    []rowwrite.Error
	pending    rowQuestions // of the current row
	storedText []byte       // last value as it is stored
	// placeholders are the optional fields in which a placeholder was read as no value.
	placeholders map[*entity.Field]bool
	// questions are the questions of all rows.
	questions map[question]*job.MappedCell
}

// NewDecoder returns a decoder for rows of a job's file, with room for n rows.
func NewDecoder(plan *Plan, j *job.Job, dialect *sheet.Dialect, n int) *Decoder {
	d := &Decoder{Batch: entity.NewBatch(plan.Declaration, plan.mappedFor(j.Mode), n), Texts: make(map[int]*entity.Column), Errors: &ErrorFormatter{declaration: plan.Declaration}, Budget: transform.NewBudget(), plan: plan, today: latestDay(j.CreatedAt), placeholders: make(map[*entity.Field]bool)}
	d.Batch.Organisation, d.Batch.JobKey, d.Batch.Mode = j.OrganisationID, int64(j.Key), j.Mode
	if j.ContextID != nil {
		d.Batch.Context = *j.ContextID
	}
	if len(plan.computed) > 0 {
		d.canonical = value.New(&sheet.Dialect{Format: sheet.CSV, DecimalMark: "."})
	}
	file := value.New(dialect)
	for _, b := range plan.bindings {
		d.values = append(d.values, file.For(b.locale))
		d.compose = append(d.compose, b.composer(dialect, d.Budget))
		if b.def.Kind == entity.Reference {
			texts := entity.NewColumn(entity.Text, n)
			d.Texts[b.field] = &texts
		}
	}
	return d
}

// Add adds a row to the batch, or returns the reasons for rejecting it: all its errors, or
// the values that exclude it or are undecided.
func (d *Decoder) Add(r *sheet.Row) []rowwrite.Error {
	n := d.Batch.Len()
	d.rowErrs, d.pending = nil, rowQuestions{}
	d.Errors.startRow(r.Number)
	StartRow(d.Budget, r)
	if r.ErrorCode != "" && !d.isFullyCorrected(r.Number) {
		d.addError(r, rowwrite.Error{Code: problem.Code(r.ErrorCode), Message: value.ExplainCode(problem.Code(r.ErrorCode))})
	} else {
		for i := range d.plan.bindings {
			d.cell(i, r)
		}
		d.checkRequired(r)
	}
	if d.rowErrs == nil && d.pending.excluded == nil {
		d.compute(r, n)
	}
	if d.rowErrs == nil && d.pending.excluded == nil {
		d.Batch.Commit(r.Number)
		d.checkRules(r, n)
	}
	if d.rowErrs == nil && d.pending.excluded == nil {
		return nil
	}
	d.Batch.Discard(n)
	for _, texts := range d.Texts {
		texts.Truncate(n)
	}
	var faults []rowwrite.Error
	d.Outcome, faults = d.rowOutcome(r)
	return faults
}

func (d *Decoder) addError(r *sheet.Row, f rowwrite.Error) {
	d.rowErrs = append(d.rowErrs, d.Errors.Format(r.Number, f))
}

// checkRules applies the type's rules that involve several fields.
func (d *Decoder) checkRules(r *sheet.Row, n int) {
	for i := range d.plan.rules {
		if f := d.plan.rules[i].Check(d.Batch, n, d.plan.rules[i].at); f != nil {
			d.addError(r, *f)
		}
	}
	if d.plan.expressions != nil {
		for _, f := range d.plan.expressions.Violations(d.row(n)) {
			d.addError(r, f)
		}
	}
}

// row returns row n of the batch for expressions.
func (d *Decoder) row(n int) entity.DecodedRow {
	return entity.DecodedRow{Batch: d.Batch, Texts: d.Texts, Index: n}
}

// compute appends the values of the computed fields of row n.
func (d *Decoder) compute(r *sheet.Row, n int) {
	for k := range d.plan.computed {
		b := &d.plan.computed[k]
		if !d.Batch.Mapped[b.field] {
			continue
		}
		text, failed := d.plan.expressions.Compute(k, d.row(n))
		switch c := (sheet.Cell{Kind: sheet.Text, Bytes: []byte(text)}); {
		case failed != nil:
			d.addError(r, *failed)
		case b.isBlank(c):
			d.Batch.Columns[b.field].AppendNull()
		default:
			d.appendComputed(b, r, c)
		}
	}
}

// appendComputed appends a computed value, within the limits of its field.
func (d *Decoder) appendComputed(b *binding, r *sheet.Row, c sheet.Cell) {
	code := d.append(b, d.canonical, c, nil)
	if code == "" && b.bounds != nil {
		code = b.bounds.check(&d.Batch.Columns[b.field])
	}
	if code != "" {
		d.addError(r, rowwrite.Error{
			Code: code, Field: b.def.Name, Value: entity.Shorten(string(c.Bytes)),
			Message: b.def.Title + ": " + explainError(b.def, code, d.canonical.Explain(c, code)),
		})
	}
}

// checkRequired rejects rows of a file without a column for a required field. Mapping
// should have prevented that before processing starts.
func (d *Decoder) checkRequired(r *sheet.Row) {
	for _, f := range d.plan.missing {
		d.addError(r, missingError(f))
	}
}

// missingError is the row error of a row without a value for a required field.
func missingError(f *entity.Field) rowwrite.Error {
	return rowwrite.Error{Code: problem.CellRequired, Field: f.Name, Message: explainError(f, problem.CellRequired, value.ExplainCode(problem.CellRequired))}
}

// placeholderError is the row error of a row with a placeholder in a required field.
func placeholderError(f *entity.Field, written sheet.Cell) rowwrite.Error {
	return rowwrite.Error{
		Code: problem.CellRequired, Field: f.Name, Value: entity.Shorten(string(written.DisplayText())),
		Message: explainError(f, problem.CellRequired, "This is a placeholder, not a value."),
	}
}

// PlaceholderWarnings returns a warning, beginning with its code, for each optional field in which
// a row that was added has a placeholder.
func (d *Decoder) PlaceholderWarnings() (lines []string) {
	for i := range d.plan.Declaration.Fields {
		f := &d.plan.Declaration.Fields[i]
		if !d.placeholders[f] {
			continue
		}
		line := fmt.Sprintf("%s: %s: placeholders such as N/A or - are read as empty cells", problem.PlaceholderIgnored, f.Title)
		if f.WithoutValue != "" {
			line += "; " + f.WithoutValue
		}
		lines = append(lines, line)
	}
	return lines
}

// cell decodes the cell of a binding into its field's column.
func (d *Decoder) cell(i int, r *sheet.Row) {
	b, values, compose := &d.plan.bindings[i], d.values[i], d.compose[i]
	if c, ok := d.correction(b, r.Number); ok {
		d.decode(b, values, r, c, c, nil)
		return
	}
	if compose == nil {
		c := cellAt(r, b.column)
		d.decode(b, values, r, c, c, nil)
		return
	}
	c, misfit := compose.Cell(r)
	written := sheet.Cell{Kind: sheet.Text, Bytes: compose.Original()}
	if misfit != nil {
		d.addError(r, rowwrite.Error{Code: misfit.Code, Field: b.def.Name, Value: entity.Shorten(string(written.Bytes)), Message: misfit.Message})
		return
	}
	d.decode(b, values, r, c, written, b.factor)
}

// decode decodes a cell; written is the original cell of a composed one, and factor converts its
// number, or is nil.
func (d *Decoder) decode(b *binding, values *value.Decoder, r *sheet.Row, c, written sheet.Cell, factor *transform.Factor) {
	if b.isBlank(c) {
		placeholder := !value.IsBlank(c)
		switch {
		case b.def.Required && placeholder:
			d.addError(r, placeholderError(b.def, written))
			return
		case b.def.Required:
			d.addError(r, missingError(b.def))
			return
		case placeholder:
			d.placeholders[b.def] = true
		}
		d.Batch.Columns[b.field].AppendNull()
		if texts := d.Texts[b.field]; texts != nil {
			texts.AppendNull()
		}
		return
	}
	if b.def.IsContextList() && d.plan.decisions[b.field] != nil {
		if text, ok := textOf(values, c); ok && d.applyDecision(b, string(text), r) {
			return
		}
	}
	code := d.append(b, values, c, factor)
	if isUnknownWord(code) {
		if text, ok := textOf(values, c); ok && d.applyDecision(b, string(text), r) {
			return
		}
	}
	if code == "" && b.bounds != nil {
		code = b.bounds.check(&d.Batch.Columns[b.field])
	}
	if code != "" {
		d.addError(r, rowwrite.Error{
			Code: code, Field: b.def.Name, Value: entity.Shorten(string(written.DisplayText())),
			Message: explainError(b.def, code, values.Explain(c, code)),
		})
		return
	}
	if hasVariants(b.def.Kind) && !d.plan.nullUnknown { // key lookups alone report no errors
		d.Errors.noteOriginal(r.Number, b.def.Name, bytes.TrimSpace(written.DisplayText()), d.lastStored(b))
	}
}

// lastStored returns the last appended value in its display form; it is valid until the next call.
func (d *Decoder) lastStored(b *binding) []byte {
	column := &d.Batch.Columns[b.field]
	v, _ := column.Bytes(column.Len() - 1)
	if b.def.Kind == entity.UUID {
		d.storedText = appendUUID(d.storedText[:0], v)
		return d.storedText
	}
	return v
}

// isBlank reports whether the cell contains no value for the field: it is blank or a placeholder.
func (b *binding) isBlank(c sheet.Cell) bool {
	written := c.Kind == sheet.Text || c.Kind == sheet.Number || c.Kind == sheet.Formatted
	return value.IsBlank(c) || written && b.def.Identifying && b.def.IsPlaceholder(c.DisplayText())
}

// append decodes a non-blank cell and appends its value, multiplied by factor if it is not nil.
func (d *Decoder) append(b *binding, values *value.Decoder, c sheet.Cell, factor *transform.Factor) problem.Code {
	column := &d.Batch.Columns[b.field]
	switch b.def.Kind {
	case entity.Integer:
		v, code := values.Int64(c)
		if code == "" && c.Kind == sheet.Text && b.def.RejectsLostDigits() && entity.HasLostDigits(bytes.TrimSpace(c.Bytes)) {
			code = problem.CellPrecision
		}
		return lastAppended(code, func() { column.AppendInt64(v) })
	case entity.Boolean:
		v, code := values.Bool(c)
		return lastAppended(code, func() { column.AppendBool(v) })
	case entity.UUID:
		v, code := values.UUID(c)
		return lastAppended(code, func() { column.AppendUUID(v) })
	case entity.Date:
		v, code := values.Date(c)
		if code == "" && b.def.PastOnly && v > d.today {
			code = problem.CellRange
		}
		return lastAppended(code, func() { column.AppendDate(v) })
	case entity.Timestamp:
		v, code := values.Timestamp(c)
		return lastAppended(code, func() { column.AppendInt64(v) })
	case entity.Enum:
		v, code := values.Enum(c, b.enum.words)
		return lastAppended(code, func() { column.AppendText([]byte(b.enum.values[v])) })
	case entity.Decimal:
		v, code := values.Decimal(c)
		if code == "" && factor != nil {
			var ok bool
			if v, ok = factor.Apply(v); !ok {
				code = problem.CellNumber
			}
		}
		if code == "" && b.def.Decimals != nil && entity.DecimalsOf(v) > *b.def.Decimals {
			code = problem.CellPrecision
		}
		return lastAppended(code, func() { column.AppendText(v) })
	case entity.Email:
		v, code := values.Email(c)
		return d.appendText(b, column, lowerASCII(v), code)
	case entity.TextList:
		v, code := values.ListBy(c, b.def.Separator)
		return d.appendText(b, column, v, code)
	case entity.Reference:
		v, code := values.Text(c)
		if code == "" {
			column.AppendNull() // until the text is resolved
		}
		return d.appendText(b, d.Texts[b.field], entity.TrimReference(v), code)
	default:
		v, code := values.Text(c)
		return d.appendText(b, column, bytes.TrimSpace(v), code)
	}
}

func lastAppended(code problem.Code, add func()) problem.Code {
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
	if code == "" && b.def.RejectsLostDigits() && entity.HasLostDigits(v) {
		code = problem.CellPrecision
	}
	if code == "" && b.pattern != nil && !b.pattern.Match(v) {
		code = problem.CellPattern
	}
	return lastAppended(code, func() { column.AppendText(v) })
}

// latestDay returns the latest calendar day at a moment in any time zone, in days since
// 2000-01-01. Rows are checked against the day on which the job was created, so that every
// attempt has the same result; without a creation date, every day counts as past.
func latestDay(made time.Time) int32 {
	if made.IsZero() {
		return math.MaxInt32
	}
	const eastmost = 14 * time.Hour
	return int32(made.Add(eastmost).Sub(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)) / (24 * time.Hour))
}

// lowerASCII returns v in lower case, without copying if it already is.
func lowerASCII(v []byte) []byte {
	for _, c := range v {
		if c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf {
			return bytes.ToLower(v)
		}
	}
	return v
}
