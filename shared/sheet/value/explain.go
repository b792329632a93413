package value

import (
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Explain says in a sentence for people why the cell was refused with the code.
// It does not repeat the cell's value.
func (d *Decoder) Explain(c sheet.Cell, code problem.Code) string {
	switch {
	case code == problem.CellDate && d.ambiguousDate(c):
		return "The date can be read day first or month first. Write it as YYYY-MM-DD, or state the file's date order."
	case code == problem.CellDate && ordered[d.order] != "":
		return "This is not a date. Dates of this file are read " + ordered[d.order] + ". YYYY-MM-DD can always be read."
	case code == problem.CellNumber && c.Kind == sheet.Text && d.mark == 0 && d.ambiguousNumber(c):
		return "The number can be read with decimals or with thousands. Write it without a separator, or state the file's decimal mark."
	case code == problem.CellNumber && c.Kind == sheet.Text && d.mark == ',':
		return "This is not a number. Decimals follow a comma in this file."
	}
	return Reason(code)
}

// ordered says to people how dates are read in each order.
var ordered = map[string]string{
	sheet.DayFirst:   "day first: 31/01/2026",
	sheet.MonthFirst: "month first: 01/31/2026",
	sheet.YearFirst:  "year first: 2026/01/31",
}

// ambiguousNumber reports whether the cell is a number with either decimal mark.
func (d *Decoder) ambiguousNumber(c sheet.Cell) bool {
	_, code := d.parse(trim(c.Bytes), '.', true)
	return code == ""
}

// ambiguousDate reports whether the cell is a date whose order is not known.
func (d *Decoder) ambiguousDate(c sheet.Cell) bool {
	p := dateParser{rest: trim(c.Bytes), order: d.order}
	return c.Kind == sheet.Text && !p.date() && p.ambiguous
}

// Reason says in a sentence for people what the code of a row or cell means.
func Reason(code problem.Code) string {
	switch code {
	case problem.RowWidth:
		return "The row does not have as many cells as the header."
	case problem.BadJSON:
		return "The line is not one JSON object with different keys."
	case problem.CellRequired:
		return "A value is required here."
	case problem.CellFormula:
		return "The formula has no stored result. Open the workbook in a spreadsheet program and save it again."
	case problem.CellError:
		return "The cell shows an error of the spreadsheet, such as #REF!."
	case problem.CellDate:
		return "This is not a date. Write it as YYYY-MM-DD."
	case problem.CellNumber:
		return "This is not a number. Write it with digits only, and a point before decimals."
	case problem.CellBoolean:
		return "Write yes or no, true or false, 1 or 0."
	case problem.CellEnum:
		return "This is not one of the values that this column takes."
	case problem.CellEmail:
		return "This is not a mail address, such as ada@example.org."
	case problem.CellUUID:
		return "This is not a UUID, such as 01a1f9e7-1bde-7bf8-ac8c-500f93581dd4."
	case problem.CellRange:
		return "The number does not fit into this column."
	case problem.CellTooSmall:
		return "The number is smaller than this column takes."
	case problem.CellTooLarge:
		return "The number is larger than this column takes."
	case problem.CellNUL:
		return "The text holds a NUL character, which cannot be stored."
	case problem.CellTooLong:
		return "The text is too long for this column."
	case problem.CellPattern:
		return "The text does not have the form that this column takes."
	case problem.CellList:
		return "This is not a list. Write its entries with | between them, or as a JSON array of texts."
	case problem.CellNested:
		return "This is a JSON object or array. The column takes a single value."
	case problem.CellPrecision:
		return "The value would lose digits or its time of the day in this column. Long numbers keep their digits in cells that are formatted as text."
	}
	return "The value cannot be used here."
}
