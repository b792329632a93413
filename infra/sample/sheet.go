package sample

import (
	"bufio"
	"io"
	"strconv"

	"github.com/xuri/excelize/v2"
)

// Sheet is a spreadsheet of any number of rows.
type Sheet struct {
	Columns []string // the header
	// Cells returns the cells of row i, counted from 1. No cell needs quotes in a CSV.
	Cells func(i int) []string
}

// Skip returns the sheet without its first rows.
func (s Sheet) Skip(after int) Sheet {
	return Sheet{Columns: s.Columns, Cells: func(i int) []string { return s.Cells(after + i) }}
}

// CSV writes n rows.
func (s Sheet) CSV(w io.Writer, n int) error {
	out := bufio.NewWriterSize(w, 1<<20)
	var line []byte
	for i := 0; i <= n; i++ {
		cells := s.Columns
		if i > 0 {
			cells = s.Cells(i)
		}
		line = line[:0]
		for c, cell := range cells {
			if c > 0 {
				line = append(line, ',')
			}
			line = append(line, cell...)
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return out.Flush()
}

// Workbook writes n rows as XLSX.
func (s Sheet) Workbook(w io.Writer, n int) error {
	f := excelize.NewFile()
	defer f.Close()
	rows, err := f.NewStreamWriter("Sheet1")
	if err != nil {
		return err
	}
	values := make([]any, len(s.Columns))
	for i := 0; i <= n; i++ {
		cells := s.Columns
		if i > 0 {
			cells = s.Cells(i)
		}
		for c, cell := range cells {
			values[c] = cell
		}
		if err := rows.SetRow("A"+strconv.Itoa(i+1), values); err != nil {
			return err
		}
	}
	if err := rows.Flush(); err != nil {
		return err
	}
	return f.Write(w)
}
