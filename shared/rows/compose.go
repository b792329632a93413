package rows

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/value"
	"github.com/loadbay/loadbay/shared/transform"
)

// Composition defines how a field's cell is derived from a row: from one unchanged column, several
// joined columns or a constant, and from the transformation steps.
type Composition struct {
	places    []int
	separator string
	constant  *sheet.Cell
	chain     *transform.Chain // nil without steps
	typed     sheet.Kind       // kind of cell that the field accepts without the steps; Empty for none
}

// NewComposition returns the composition of a field's cell.
func NewComposition(f *entity.Field, c *job.MappedColumn) (*Composition, error) {
	made := &Composition{places: c.Columns(), separator: c.Separator, typed: typed[f.Kind]}
	if c.Constant != nil {
		made.constant = &sheet.Cell{Kind: sheet.Text, Bytes: []byte(*c.Constant)}
	}
	if len(c.Transforms) > 0 {
		var err error
		if made.chain, err = transform.Compile(c.Transforms); err != nil {
			return nil, fmt.Errorf("field %s: %w", f.Name, err)
		}
	}
	return made, nil
}

// typed maps field kinds to the kinds of workbook and NDJSON cells that already contain a typed
// value. Steps apply to text only and would misread the point of 1500.5.
var typed = map[entity.Kind]sheet.Kind{
	entity.Integer: sheet.Number, entity.Decimal: sheet.Number, entity.Date: sheet.Date, entity.Timestamp: sheet.Date, entity.Boolean: sheet.Bool,
}

// CompositionError reports why a cell cannot be composed.
type CompositionError struct {
	Code    problem.Code
	Message string
}

// Composer composes the cells of one field, row by row. It is not safe for concurrent
// use.
type Composer struct {
	*Composition
	budget *transform.Budget
	texts  *value.Decoder
	raw    []byte // joined text of the last row, before the steps
	result []byte
}

// NewComposer returns a composer for rows of a file of the dialect. The composers of a row share
// its budget.
func (made *Composition) NewComposer(d *sheet.Dialect, b *transform.Budget) *Composer {
	return &Composer{Composition: made, budget: b, texts: value.New(d)}
}

// StartRow gives the steps of a row their budget.
func StartRow(b *transform.Budget, r *sheet.Row) {
	size := 0
	for i := range r.Cells {
		size += len(r.Cells[i].Bytes)
	}
	b.StartRow(size)
}

// composer returns a composer for the binding's cells, or nil if they are unchanged cells of one
// column.
func (b *binding) composer(d *sheet.Dialect, budget *transform.Budget) *Composer {
	if b.composed == nil {
		return nil
	}
	return b.composed.NewComposer(d, budget)
}

// Cell returns the cell of a row, valid until the next call. An unchanged cell keeps its kind;
// a composed one is a Text. The CompositionError is nil on success.
func (c *Composer) Cell(r *sheet.Row) (sheet.Cell, *CompositionError) {
	if c.constant != nil {
		c.raw = c.constant.Bytes
		return *c.constant, nil
	}
	if len(c.places) == 1 {
		return c.singleColumn(cellAt(r, c.places[0]))
	}
	c.raw = c.raw[:0]
	for _, place := range c.places {
		text, code := c.texts.Text(cellAt(r, place))
		if code != "" {
			c.raw = append(c.raw[:0], cellAt(r, place).DisplayText()...)
			return sheet.Cell{}, &CompositionError{code, value.ExplainCode(code)}
		}
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		if len(c.raw) > 0 {
			c.raw = append(c.raw, c.separator...)
		}
		c.raw = append(c.raw, text...)
	}
	return c.transform()
}

// singleColumn returns the cell of a single column.
func (c *Composer) singleColumn(cell sheet.Cell) (sheet.Cell, *CompositionError) {
	if c.chain == nil || c.typed != sheet.Empty && cell.AsNumber().Kind == c.typed {
		c.raw = append(c.raw[:0], cell.DisplayText()...)
		return cell, nil
	}
	text, code := c.texts.Text(cell)
	if code != "" {
		c.raw = append(c.raw[:0], cell.DisplayText()...)
		return sheet.Cell{}, &CompositionError{code, value.ExplainCode(code)}
	}
	c.raw = append(c.raw[:0], text...)
	return c.transform()
}

// transform returns the cell that results from applying the steps to the text.
func (c *Composer) transform() (sheet.Cell, *CompositionError) {
	if c.chain == nil {
		return sheet.Cell{Kind: sheet.Text, Bytes: c.raw}, nil
	}
	text, err := c.chain.Apply(c.budget, string(c.raw))
	if err != nil {
		var fault *transform.Error
		if !errors.As(err, &fault) {
			return sheet.Cell{}, &CompositionError{problem.CellTransform, value.ExplainCode(problem.CellTransform)}
		}
		return sheet.Cell{}, &CompositionError{problem.CellTransform, fault.Error()}
	}
	c.result = append(c.result[:0], text...)
	return sheet.Cell{Kind: sheet.Text, Bytes: c.result}, nil
}

// Original returns the text of the last row's cell in the file, before the steps.
func (c *Composer) Original() []byte { return c.raw }

// cellAt returns the cell of a row at an index, or an empty one beyond its end.
func cellAt(r *sheet.Row, place int) sheet.Cell {
	if place < 0 || place >= len(r.Cells) {
		return sheet.Cell{}
	}
	return r.Cells[place]
}
