package export

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/problem"
)

// Limits of a workbook.
//
// https://support.microsoft.com/office/excel-specifications-and-limits-1672b34d-7043-467e-8e27-269d656771c3
const (
	maxSheetRows = 1_048_576
	maxCellUnits = 32_767 // of UTF-16
	exactDigits  = 15
)

// xlsxWriter writes one sheet. The sheet's XML goes to a temporary file first,
// as a zip archive wants to know what it stores: memory stays constant, and the
// disk needs room for some 400 bytes a row.
type xlsxWriter struct {
	out    io.Writer
	file   *excelize.File
	sheet  *excelize.StreamWriter
	fields []*entity.Field
	row    int
	values []any
	buf    []byte
}

func newXLSX(w io.Writer, fields []*entity.Field) (*xlsxWriter, error) {
	x := &xlsxWriter{out: w, file: excelize.NewFile(), fields: fields, values: make([]any, len(fields))}
	var err error
	if x.sheet, err = x.file.NewStreamWriter("Sheet1"); err != nil {
		return nil, errors.Join(fmt.Errorf("write xlsx: %w", err), x.Discard())
	}
	for i, f := range fields {
		x.values[i] = f.Column
	}
	if err := x.write(); err != nil {
		return nil, errors.Join(err, x.Discard())
	}
	return x, nil
}

func (x *xlsxWriter) write() error {
	x.row++
	if x.row > maxSheetRows {
		return problem.New(problem.ExportTooLarge, "A workbook holds %d rows. Export as csv or ndjson, or narrow the export with filters.", maxSheetRows-1)
	}
	if err := x.sheet.SetRow("A"+strconv.Itoa(x.row), x.values); err != nil {
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
		if x.values[i], err = x.value(x.fields[i], v); err != nil {
			return err
		}
	}
	return x.write()
}

// value is a value as excelize takes it. Numbers with more digits than a
// workbook keeps are text.
func (x *xlsxWriter) value(f *entity.Field, v []byte) (any, error) {
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
	if x.buf, err = cell(x.buf[:0], f, v); err != nil {
		return nil, err
	}
	if len(x.buf) > maxCellUnits && units(x.buf) > maxCellUnits {
		return nil, problem.New(problem.ExportTooLarge, "A cell of a workbook holds %d characters, and a value of %s has more. Export as csv or ndjson.", maxCellUnits, f.Column)
	}
	return string(x.buf), nil
}

// units is the length of text in UTF-16.
func units(text []byte) (n int) {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		n += utf16.RuneLen(r)
		text = text[size:]
	}
	return n
}

// Close writes the workbook and deletes the temporary file.
func (x *xlsxWriter) Close() (err error) {
	defer func() { err = errors.Join(err, x.Discard()) }()
	if err := x.sheet.Flush(); err != nil {
		return fmt.Errorf("write xlsx: %w", err)
	}
	// excelize would gather the whole archive in memory; its zip writer can be
	// made to write elsewhere.
	x.file.SetZipWriter(func(io.Writer) excelize.ZipWriter { return zip.NewWriter(x.out) })
	if _, err := x.file.WriteToBuffer(); err != nil {
		return fmt.Errorf("write xlsx: %w", err)
	}
	return nil
}

// Discard deletes the temporary file.
func (x *xlsxWriter) Discard() error {
	if err := x.file.Close(); err != nil {
		return fmt.Errorf("discard xlsx: %w", err)
	}
	return nil
}
