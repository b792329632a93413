package rows

import (
	"context"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/value"
	"github.com/loadbay/loadbay/shared/transform"
)

// TextReader extracts the texts that need a value mapping from the rows of a file. Words that a
// field accepts by itself need none.
type TextReader struct {
	bindings []binding
	values   []*value.Decoder // by binding
	compose  []*Composer      // by binding; nil for unchanged columns
	budget   *transform.Budget
}

// NewTextReader returns a reader for files of the dialect. Its steps end with the context.
func NewTextReader(ctx context.Context, p *Plan, dialect *sheet.Dialect) *TextReader {
	t := &TextReader{budget: transform.NewBudget()}
	t.budget.Limit(ctx, nil)
	file := value.New(dialect)
	for _, b := range p.bindings {
		if b.def.HasMappableValues() {
			t.bindings, t.values, t.compose = append(t.bindings, b), append(t.values, file.For(b.locale)), append(t.compose, b.composer(dialect, t.budget))
		}
	}
	return t
}

// Err returns why no further row can be read: the error of the context.
func (t *TextReader) Err() error { return t.budget.Err() }

// Work returns the work of the steps of all rows so far.
func (t *TextReader) Work() int64 { return t.budget.Spent() }

// MappableFields returns the fields of the plan with values that can be mapped.
func (p *Plan) MappableFields() []*entity.Field {
	var fields []*entity.Field
	for i := range p.bindings {
		if f := p.bindings[i].def; f.HasMappableValues() {
			fields = append(fields, f)
		}
	}
	return fields
}

// Each calls found with each text of a row; the text is valid during the call only.
func (t *TextReader) Each(r *sheet.Row, found func(f *entity.Field, text []byte)) {
	StartRow(t.budget, r)
	for i := range t.bindings {
		b, values := &t.bindings[i], t.values[i]
		c, misfit := t.cell(i, r)
		if misfit != nil || b.isBlank(c) || b.accepts(values, c) {
			continue
		}
		if text, ok := textOf(values, c); ok {
			found(b.def, text)
		}
	}
}

// cell returns the cell of a row for a binding.
func (t *TextReader) cell(i int, r *sheet.Row) (sheet.Cell, *CompositionError) {
	if t.compose[i] == nil {
		return cellAt(r, t.bindings[i].column), nil
	}
	return t.compose[i].Cell(r)
}

// accepts reports whether the field accepts the cell, or rejects it for another reason than an
// unknown word.
func (b *binding) accepts(values *value.Decoder, c sheet.Cell) bool {
	var code problem.Code
	switch b.def.Kind {
	case entity.Enum:
		_, code = values.Enum(c, b.enum.words)
	case entity.Boolean:
		_, code = values.Bool(c)
	default:
		return false
	}
	return !isUnknownWord(code)
}
