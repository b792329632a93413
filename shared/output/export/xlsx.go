package export

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/output/workbook"
	"github.com/loadbay/loadbay/shared/problem"
)

// exactDigits is the number of digits of a number that a workbook preserves.
const exactDigits = 15

// xlsxWriter writes one sheet. It uses constant memory, and disk space for the compressed
// sheet.
type xlsxWriter struct {
	out    io.Writer
	book   workbook.Book
	sheet  *workbook.Sheet
	fields []*entity.Field
	row    int
	values []any
	buf    []byte
}

func newXLSX(w io.Writer, fields []*entity.Field) (*xlsxWriter, error) {
	x := &xlsxWriter{out: w, fields: fields, values: make([]any, len(fields))}
	var err error
	if x.sheet, err = x.book.Sheet("Sheet1", workbook.Layout{}); err != nil {
		return nil, fmt.Errorf("write xlsx: %w", err)
	}
	for i, f := range fields {
		x.values[i] = f.Column
	}
	return x, x.write()
}

func (x *xlsxWriter) write() error {
	x.row++
	if x.row > workbook.MaxRows {
		return problem.New(problem.ExportTooLarge, "A workbook can have at most %d rows. Export as CSV or NDJSON, or use filters.", workbook.MaxRows-1)
	}
	if err := x.sheet.Row(x.values...); err != nil {
		return fmt.Errorf("write xlsx: row %d: %w", x.row, err)
	}
	return nil
}

// Row writes a row of the sheet.
func (x *xlsxWriter) Row(values [][]byte) error {
	for i, v := range values {
		if v == nil {
			x.values[i] = nil
			continue
		}
		var err error
		if x.values[i], err = x.cellValue(x.fields[i], v); err != nil {
			return err
		}
	}
	return x.write()
}

// cellValue converts a value for a cell. Numbers with more digits than a workbook preserves
// are text.
func (x *xlsxWriter) cellValue(f *entity.Field, v []byte) (any, error) {
	switch {
	case f.Kind == entity.Boolean:
		return string(v) == "true", nil
	case f.Kind == entity.Integer && len(v) <= exactDigits:
		if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return n, nil
		}
	case f.Kind == entity.Decimal && len(v) <= exactDigits:
		if n, err := strconv.ParseFloat(string(v), 64); err == nil {
			return n, nil
		}
	}
	var err error
	if x.buf, err = cellText(x.buf[:0], f, v); err != nil {
		return nil, err
	}
	if len(x.buf) > workbook.MaxCellUTF16 && utf16Len(x.buf) > workbook.MaxCellUTF16 {
		return nil, problem.New(problem.ExportTooLarge, "A cell of a workbook can have at most %d characters, but a value of %s has more. Export as CSV or NDJSON.", workbook.MaxCellUTF16, f.Column)
	}
	return string(x.buf), nil
}

// utf16Len returns the length of text in UTF-16.
func utf16Len(text []byte) (n int) {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		n += utf16.RuneLen(r)
		text = text[size:]
	}
	return n
}

// Close writes the workbook and releases its resources.
func (x *xlsxWriter) Close() error {
	return errors.Join(x.book.Finish(x.out), x.Discard())
}

// Discard releases the workbook's resources.
func (x *xlsxWriter) Discard() error {
	if err := x.book.Close(); err != nil {
		return fmt.Errorf("discard xlsx: %w", err)
	}
	return nil
}
