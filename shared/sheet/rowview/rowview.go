// Package rowview converts rows of a file for display: the parsed cells, the row's part of the
// table, and the findings about it.
//
// Tested by shared/imports/reading: the last rows of files, and by console/reader/preview: the first.
package rowview

import (
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/pgtext"
	"github.com/loadbay/loadbay/shared/sheet"
)

// DisplayRow is a row of a file for display.
type DisplayRow struct {
	Number int64         `json:"number"` // as in a spreadsheet program
	Part   RowPart       `json:"part"`
	Cells  []DisplayCell `json:"cells"`
}

// RowPart is the part of the table that a row belongs to.
type RowPart string

// The parts of a table.
const (
	PartAbove  RowPart = "ABOVE" // titles and notes above the header
	PartHeader RowPart = "HEADER"
	PartData   RowPart = "DATA"
	PartFooter RowPart = "FOOTER" // below the data, not imported
)

const maxDisplayRunes = 200 // characters per cell

// DisplayCell is a cell of a DisplayRow.
type DisplayCell struct {
	Text      string `json:"text"` // text as displayed, up to 200 characters
	Kind      string `json:"kind"`
	Truncated bool   `json:"cut,omitempty"` // whether the text was truncated
}

// kindNames are the names of the cell kinds.
var kindNames = [...]string{
	sheet.Empty: "EMPTY", sheet.Text: "TEXT", sheet.Number: "NUMBER", sheet.Bool: "BOOLEAN", sheet.Date: "DATE",
	sheet.JSON: "JSON", sheet.ErrorValue: "ERROR", sheet.Formula: "FORMULA", sheet.Formatted: "NUMBER",
}

// NewDisplayRow converts a row of a file of that dialect for display.
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

// Size returns the approximate size of the row in a response, in bytes.
func (r *DisplayRow) Size() int {
	const perCell = 32
	n := 0
	for i := range r.Cells {
		n += len(r.Cells[i].Text) + perCell
	}
	return n
}
