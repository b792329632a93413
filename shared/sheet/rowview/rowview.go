// Package rowview is how rows of a file are shown to people: as they are read, with what
// they are to the table, and what was found out about it.
//
// Tested by shared/imports/reading: the last rows of files, and by console/reader/preview: the first.
package rowview

import (
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/pgtext"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Row is a row of a file as it is read.
type Row struct {
	Number int64  `json:"number"` // that a spreadsheet program shows
	Part   Part   `json:"part"`
	Cells  []Cell `json:"cells"`
}

// Part is which part of the table a row is.
type Part string

// The parts of a file.
const (
	Above  Part = "ABOVE" // titles and notes above the header
	Header Part = "HEADER"
	Data   Part = "DATA"
	Footer Part = "FOOTER" // below the data, and left out
)

const maxText = 200 // characters of a cell

// Cell is a cell of a Row.
type Cell struct {
	Text string `json:"text"` // as a person sees it, up to 200 characters
	Kind string `json:"kind"`
	Cut  bool   `json:"cut,omitempty"` // whether it has more text
}

// kinds are the names of kinds of cells.
var kinds = [...]string{
	sheet.Empty: "EMPTY", sheet.Text: "TEXT", sheet.Number: "NUMBER", sheet.Bool: "BOOLEAN", sheet.Date: "DATE",
	sheet.JSON: "JSON", sheet.ErrorValue: "ERROR", sheet.Formula: "FORMULA", sheet.Formatted: "NUMBER",
}

// New is a row of a file of that dialect as a person sees it.
func New(r *sheet.Row, d *sheet.Dialect) Row {
	row := Row{Number: r.Number, Part: partOf(r.Number, d), Cells: make([]Cell, len(r.Cells))}
	for i, c := range r.Cells {
		row.Cells[i] = Cell{Kind: kinds[c.Kind]}
		row.Cells[i].Text, row.Cells[i].Cut = cut(c.Shown())
	}
	return row
}

func partOf(number int64, d *sheet.Dialect) Part {
	switch {
	case number <= d.HeaderRow-int64(max(d.HeaderRows, 1)):
		return Above
	case number <= d.HeaderRow:
		return Header
	case d.FooterRow > 0 && number >= d.FooterRow:
		return Footer
	}
	return Data
}

func cut(text []byte) (string, bool) {
	if len(text) > maxText && utf8.RuneCount(text) > maxText {
		return pgtext.Clean(string([]rune(string(text))[:maxText])), true
	}
	return pgtext.Clean(string(text)), false
}

// Size is about how many bytes the row takes in a response.
func (r *Row) Size() int {
	const perCell = 32
	n := 0
	for i := range r.Cells {
		n += len(r.Cells[i].Text) + perCell
	}
	return n
}
