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

// DisplayRow is a row of a file as it is read.
type DisplayRow struct {
	Number int64         `json:"number"` // that a spreadsheet program shows
	Part   RowPart       `json:"part"`
	Cells  []DisplayCell `json:"cells"`
}

// RowPart is which part of the table a row is.
type RowPart string

// The parts of a file.
const (
	PartAbove  RowPart = "ABOVE" // titles and notes above the header
	PartHeader RowPart = "HEADER"
	PartData   RowPart = "DATA"
	PartFooter RowPart = "FOOTER" // below the data, and left out
)

const maxDisplayRunes = 200 // characters of a cell

// DisplayCell is a cell of a Row.
type DisplayCell struct {
	Text      string `json:"text"` // as a person sees it, up to 200 characters
	Kind      string `json:"kind"`
	Truncated bool   `json:"cut,omitempty"` // whether it has more text
}

// kindNames are the names of kinds of cells.
var kindNames = [...]string{
	sheet.Empty: "EMPTY", sheet.Text: "TEXT", sheet.Number: "NUMBER", sheet.Bool: "BOOLEAN", sheet.Date: "DATE",
	sheet.JSON: "JSON", sheet.ErrorValue: "ERROR", sheet.Formula: "FORMULA", sheet.Formatted: "NUMBER",
}

// NewDisplayRow is a row of a file of that dialect as a person sees it.
func NewDisplayRow(r *sheet.Row, d *sheet.Dialect) DisplayRow {
	row := DisplayRow{Number: r.Number, Part: rowPart(r.Number, d), Cells: make([]DisplayCell, len(r.Cells))}
	for i, c := range r.Cells {
		row.Cells[i] = DisplayCell{Kind: kindNames[c.Kind]}
		row.Cells[i].Text, row.Cells[i].Truncated = truncateDisplay(c.DisplayText())
	}
	return row
}

func rowPart(number int64, d *sheet.Dialect) RowPart {
	switch {
	case number <= d.HeaderRow-int64(max(d.HeaderRows, 1)):
		return PartAbove
	case number <= d.HeaderRow:
		return PartHeader
	case d.FooterRow > 0 && number >= d.FooterRow:
		return PartFooter
	}
	return PartData
}

func truncateDisplay(text []byte) (string, bool) {
	if len(text) > maxDisplayRunes && utf8.RuneCount(text) > maxDisplayRunes {
		return pgtext.Sanitize(string([]rune(string(text))[:maxDisplayRunes])), true
	}
	return pgtext.Sanitize(string(text)), false
}

// Size is about how many bytes the row takes in a response.
func (r *DisplayRow) Size() int {
	const perCell = 32
	n := 0
	for i := range r.Cells {
		n += len(r.Cells[i].Text) + perCell
	}
	return n
}
