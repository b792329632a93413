package book

import (
	"bytes"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Builder assembles the cells of one row at a time, in any order of columns. It reuses its memory
// from row to row.
type Builder struct {
	// Text collects the text of the row's cells; see Cell.
	Text []byte

	shown   []byte // the last number as formatted by its mask
	row     sheet.Row
	seen    []bool // columns that have had a cell
	last    int    // the rightmost of them
	allowed int
	longest int // maximum bytes of a cell
}

// maxText limits the text of one row, and thereby a reader's memory. Text files have the same
// limit.
const maxText = 16 << 20

// NewBuilder returns a builder of rows with at most columns columns, of which only the first
// lim.Columns may have a value, of at most lim.CellBytes.
func NewBuilder(columns int, lim sheet.Limits) *Builder {
	return &Builder{seen: make([]bool, columns), last: -1, allowed: lim.Columns, longest: lim.CellBytes}
}

// Row returns the row so far, valid until the next Begin. A row with a cell that is too long has
// the error FIELD_TOO_LARGE and no cells: a truncated text could be taken for the whole one.
func (b *Builder) Row() *sheet.Row {
	if b.row.ErrorCode != "" {
		b.row.Cells = b.row.Cells[:0]
	}
	return &b.row
}

// IsBlank reports whether the row has no value so far.
func (b *Builder) IsBlank() bool { return len(b.row.Cells) == 0 && b.row.ErrorCode == "" }

// Begin starts a row.
func (b *Builder) Begin(number int64) {
	clear(b.seen[:b.last+1])
	b.last = -1
	b.row.Number, b.row.Cells, b.row.ErrorCode, b.row.Hidden, b.Text = number, b.row.Cells[:0], "", false, b.Text[:0]
}

// Hide marks the row as hidden.
func (b *Builder) Hide() { b.row.Hidden = true }

// Cell returns a cell with the contents of Text from start on, or an empty cell if there are
// none. Text may be reallocated when it grows; the cell's bytes stay valid.
func (b *Builder) Cell(k sheet.Kind, start int) sheet.Cell {
	end := len(b.Text)
	if start == end {
		return sheet.Cell{}
	}
	return sheet.Cell{Kind: k, Bytes: b.Text[start:end:end]}
}

// Number returns a cell with the number that Text contains from start on, as displayed by its
// format: with additional leading zeros, which do not change the number, or else as a Formatted
// cell. m may be nil.
func (b *Builder) Number(m *Mask, start int) sheet.Cell {
	if m == nil {
		return b.Cell(sheet.Number, start)
	}
	number := b.Text[start:]
	shown, ok := m.Append(b.shown[:0], number)
	b.shown = shown
	switch {
	case !ok || bytes.Equal(shown, number):
		return b.Cell(sheet.Number, start)
	case sameInteger(shown, number):
		b.Text = append(b.Text[:start], shown...)
		return b.Cell(sheet.Number, start)
	}
	b.Text = sheet.AppendDisplayText(b.Text, shown)
	return b.Cell(sheet.Formatted, start)
}

// SetCell sets the row's cell in a column, counted from 0. It returns FILE_CORRUPT for a second
// cell in the same column and for a column beyond the sheet's limit, TOO_MANY_COLUMNS for a
// value beyond the allowed columns, and FIELD_TOO_LARGE for more than 16 MiB of text. A cell that
// is too long is an error of the row.
func (b *Builder) SetCell(column int, c sheet.Cell) error {
	if column < 0 || column >= len(b.seen) {
		return b.corrupt("a cell beyond the last column of a sheet")
	}
	if b.seen[column] {
		return b.corrupt("two cells at the same position")
	}
	if len(b.Text) > maxText {
		return problem.New(problem.FieldTooLarge, "Row %d is longer than %d MiB.", b.row.Number, maxText>>20)
	}
	b.seen[column] = true
	b.last = max(b.last, column)
	if c.Kind == sheet.Empty {
		return nil
	}
	if len(c.Bytes) > b.longest {
		b.row.ErrorCode = string(problem.FieldTooLarge)
	}
	if column >= b.allowed {
		return problem.New(problem.TooManyColumns,
			"Row %d has a value in column %d, but only %d columns are allowed.", b.row.Number, column+1, b.allowed)
	}
	for len(b.row.Cells) <= column {
		b.row.Cells = append(b.row.Cells, sheet.Cell{})
	}
	b.row.Cells[column] = c
	return nil
}

func (b *Builder) corrupt(what string) error {
	return sheet.DamagedError(nil, "row %d has %s", b.row.Number, what)
}

// sameInteger reports whether the displayed text is the number, an integer, with
// additional zeros: "00412" of "412" or "412.0".
func sameInteger(shown, number []byte) bool {
	whole, fraction, _ := bytes.Cut(number, []byte("."))
	if len(bytes.Trim(fraction, "0")) > 0 {
		return false
	}
	shown, negative := bytes.CutPrefix(shown, []byte("-"))
	whole, below := bytes.CutPrefix(whole, []byte("-"))
	return negative == below && len(whole) > 0 && len(bytes.Trim(shown, "0123456789")) == 0 && len(bytes.Trim(whole, "0123456789")) == 0 &&
		bytes.Equal(bytes.TrimLeft(shown, "0"), bytes.TrimLeft(whole, "0"))
}
