package xls

import (
	"encoding/binary"
	"math"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/book"
	"github.com/loadbay/loadbay/shared/sheet/xls/internal/biff"
)

// valueAt is the offset of the value in a cell record, after row, column and cell format.
const valueAt = 6

// readRecord reads the cell or cells of a record. rest starts after the record.
func (g *grid) readRecord(r biff.Record, rest *biff.Reader) error {
	if r.Type == biff.MulRK {
		return g.readMulRK(r)
	}
	if err := r.RequireLen(valueAt); err != nil {
		return err
	}
	if r.Type < firstBIFF3Type {
		if size, old := biff2ValueSize(r.Type); old {
			return g.readBIFF2Cell(r, size)
		}
	}
	column := int(binary.LittleEndian.Uint16(r.Body[2:]))
	format := g.w.format(binary.LittleEndian.Uint16(r.Body[4:]))
	c, err := g.value(r, format, rest)
	if err != nil {
		return err
	}
	return g.build.SetCell(column, c)
}

// value returns the value of a record with one cell.
func (g *grid) value(r biff.Record, format book.Style, rest *biff.Reader) (sheet.Cell, error) {
	switch r.Type {
	case biff.Number:
		if err := r.RequireLen(valueAt + 8); err != nil {
			return sheet.Cell{}, err
		}
		return g.numberCell(biff.Float(r.Body[valueAt:]), format), nil
	case biff.RK, biff.RK2:
		if err := r.RequireLen(valueAt + 4); err != nil {
			return sheet.Cell{}, err
		}
		return g.numberCell(biff.RKFloat(r.Body[valueAt:]), format), nil
	case biff.LabelSST:
		if err := r.RequireLen(valueAt + 4); err != nil {
			return sheet.Cell{}, err
		}
		return g.textCell(func(dst []byte) ([]byte, error) {
			return g.w.strings.Append(dst, binary.LittleEndian.Uint32(r.Body[valueAt:]))
		})
	case biff.Label, biff.RString:
		return g.textCell(func(dst []byte) ([]byte, error) { return g.w.appendString(dst, r, valueAt, 2) })
	case biff.BoolErr:
		if err := r.RequireLen(valueAt + 2); err != nil {
			return sheet.Cell{}, err
		}
		return g.boolErrCell(r.Body[valueAt], r.Body[valueAt+1] != 0), nil
	}
	return g.formula(r, format, rest)
}

// readMulRK reads a run of numbers: row, first column, a format and a number
// for each, last column.
func (g *grid) readMulRK(r biff.Record) error {
	const head, each, tail = 4, 6, 2
	if err := r.RequireLen(head + tail); err != nil {
		return err
	}
	column := int(binary.LittleEndian.Uint16(r.Body[2:]))
	cells := r.Body[head : len(r.Body)-tail]
	if len(cells)%each != 0 {
		return biff.CorruptError("a run of cells is truncated")
	}
	for ; len(cells) >= each; cells = cells[each:] {
		format := g.w.format(binary.LittleEndian.Uint16(cells))
		if err := g.build.SetCell(column, g.numberCell(biff.RKFloat(cells[2:]), format)); err != nil {
			return err
		}
		column++
	}
	return nil
}

// formula reads the cached value of a formula: a number, or a marker for another kind of value
// ([MS-XLS] 2.5.133).
func (g *grid) formula(r biff.Record, format book.Style, rest *biff.Reader) (sheet.Cell, error) {
	if err := r.RequireLen(valueAt + 8); err != nil {
		return sheet.Cell{}, err
	}
	value := r.Body[valueAt : valueAt+8]
	if value[6] != 0xff || value[7] != 0xff {
		return g.numberCell(biff.Float(value), format), nil
	}
	switch value[0] {
	case 0:
		return g.formulaText(rest)
	case 1:
		return g.boolErrCell(value[2], false), nil
	case 2:
		return g.boolErrCell(value[2], true), nil
	case 3: // an empty string
		return sheet.Cell{}, nil
	}
	return sheet.Cell{Kind: sheet.Formula}, nil
}

// formulaText reads the String record that follows a formula, possibly after the record of a
// shared formula. Without one there is no value.
func (g *grid) formulaText(rest *biff.Reader) (sheet.Cell, error) {
	for {
		r, ok, err := rest.Next()
		if err != nil {
			return sheet.Cell{}, err
		}
		switch {
		case ok && r.Type == biff.String:
			return g.textCell(func(dst []byte) ([]byte, error) { return g.w.appendString(dst, r, 0, 2) })
		case ok && r.Type == biff.String2:
			return g.textCell(func(dst []byte) ([]byte, error) { return g.w.appendBytes(dst, r, 0, 1) })
		case !ok || !isSharedFormula(r.Type):
			return sheet.Cell{Kind: sheet.Formula}, nil
		}
	}
}

// isSharedFormula reports whether a record, which may come between a formula and its text, defines
// a shared formula.
func isSharedFormula(recordType uint16) bool {
	switch recordType {
	case biff.SharedFmla, biff.SharedFml5, biff.Array, biff.Array2, biff.Table, biff.Table2, biff.TableTwo2, biff.Continue:
		return true
	}
	return false
}

// numberCell returns a number cell, or a date if its format is one. Infinity and NaN become text,
// because no program writes them on purpose.
func (g *grid) numberCell(v float64, format book.Style) sheet.Cell {
	start := len(g.build.Text)
	if format.IsDate() {
		if date, ok := book.AppendDate(g.build.Text, v, format.Format, g.w.date1904); ok {
			g.build.Text = date
			return g.build.Cell(sheet.Date, start)
		}
	}
	g.build.Text = biff.AppendFloat(g.build.Text, v)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return g.build.Cell(sheet.Text, start)
	}
	return g.build.Number(format.Mask, start)
}

func (g *grid) boolErrCell(value byte, isError bool) sheet.Cell {
	start := len(g.build.Text)
	switch {
	case isError:
		g.build.Text = append(g.build.Text, biff.ErrorText(value)...)
		return g.build.Cell(sheet.ErrorValue, start)
	case value != 0:
		g.build.Text = append(g.build.Text, "true"...)
	default:
		g.build.Text = append(g.build.Text, "false"...)
	}
	return g.build.Cell(sheet.Bool, start)
}

// textCell returns a cell with the text that fn appends.
func (g *grid) textCell(fn func(dst []byte) ([]byte, error)) (sheet.Cell, error) {
	start := len(g.build.Text)
	var err error
	if g.build.Text, err = fn(g.build.Text); err != nil {
		return sheet.Cell{}, err
	}
	return g.build.Cell(sheet.Text, start), nil
}
