package value

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/book"
)

// Explain describes in a sentence for people why the cell was rejected with the code. For an
// ambiguous text, it contains the text and its possible values.
func (d *Decoder) Explain(c sheet.Cell, code problem.Code) string {
	written := c.Kind == sheet.Text
	switch {
	case code == problem.CellDate && written && d.dateReadings(c.Bytes) != "":
		return d.dateReadings(c.Bytes) + ". Write it as year, month and day, 2026-01-31, or set the date order."
	case code == problem.CellDate && written && d.serialDay(c.Bytes) != "":
		return "This is a number, not a date. Only as a number in a workbook, it would be " + d.serialDay(c.Bytes) + ". Write it as year, month and day: 2026-01-31."
	case code == problem.CellDate && dateOrderPhrases[d.order] != "":
		return "This is not a date. Dates in this column are read " + dateOrderPhrases[d.order] + ". Year, month and day, 2026-01-31, is always accepted."
	case code == problem.CellNumber && written && (d.mark == 0 || d.markAssumed) && d.numberReadings(c.Bytes) != "":
		return d.numberReadings(c.Bytes) + ". Write it without thousands separators, or set the decimal mark."
	case code == problem.CellNumber && written && d.mark == ',':
		return "This is not a number. The decimal mark of this column is a comma."
	}
	return ExplainCode(code)
}

// dateOrderPhrases describe each date order for people.
var dateOrderPhrases = map[string]string{
	sheet.DayFirst:   "day first: 31/01/2026",
	sheet.MonthFirst: "month first: 01/31/2026",
	sheet.YearFirst:  "year first: 2026/01/31",
}

// dateReadings lists the possible dates of a text that is ambiguous without an order; "" for any
// other text.
func (d *Decoder) dateReadings(b []byte) string {
	b = trimSpace(b)
	p := dateParser{rest: b, order: d.order}
	if p.date() || !p.ambiguous {
		return ""
	}
	written := b[:len(b)-len(p.rest)]
	days, count := p.numerals.days(p.numerals.possibleOrders())
	may := make([]string, count)
	for i, day := range days[:count] {
		may[i] = time.Date(day.year, time.Month(day.month), day.day, 0, 0, 0, 0, time.UTC).Format("2 January 2006")
	}
	return fmt.Sprintf("%s may be %s", written, joinAlternatives(may))
}

// numberReadings lists the possible numbers of a text that is ambiguous without a decimal mark; ""
// for any other text.
func (d *Decoder) numberReadings(b []byte) string {
	b = trimSpace(b)
	var may []string
	for _, mark := range []byte{'.', ','} {
		n, code := d.parse(b, mark, true)
		if code != "" || len(b) > maxSurveyedBytes {
			return ""
		}
		may = append(may, string(n.append(nil)))
	}
	if may[0] == may[1] {
		return ""
	}
	return fmt.Sprintf("%s may be %s", b, joinAlternatives(may))
}

// joinAlternatives joins alternatives: "a, b or c".
func joinAlternatives(may []string) string {
	last := len(may) - 1
	return strings.Join(may[:last], ", ") + " or " + may[last]
}

// serialDay returns the date for a five-digit integer, which spreadsheet programs write for a date
// in a cell without a date format.
func (d *Decoder) serialDay(b []byte) string {
	b = trimSpace(b)
	if _, ok := parseSmallInt(b); !ok || len(b) != 5 {
		return ""
	}
	n, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return ""
	}
	text, ok := book.AppendDate(nil, n, book.DateTime, d.date1904)
	if !ok {
		return ""
	}
	return string(text)
}

// ExplainCode describes the code of a row or cell in a sentence for people.
func ExplainCode(code problem.Code) string {
	switch code {
	case problem.RowWidth:
		return "The number of cells in the row differs from the header."
	case problem.RowQuote:
		return "A quote in the row is not closed before the row ends, or text follows its closing quote. Remove the quote, or quote the whole cell and double the quotes inside it."
	case problem.FieldTooLarge:
		return "A cell of the row is longer than 131,068 bytes. Shorten it or leave it out."
	case problem.BadJSON:
		return "The line is not a JSON object with unique keys."
	case problem.CellRequired:
		return "A value is required."
	case problem.CellFormula:
		return "The formula has no stored result. Open the workbook in a spreadsheet program and save it again."
	case problem.CellError:
		return "The cell contains a spreadsheet error, such as #REF!."
	case problem.CellDate:
		return "This is not a date. Write it as year, month and day: 2026-01-31."
	case problem.CellNumber:
		return "This is not a number. Use digits and a decimal point only: 1234.5."
	case problem.CellBoolean:
		return "This is not a yes/no value. Use yes or no, true or false, 1 or 0."
	case problem.CellEnum:
		return "This value is not allowed in this column."
	case problem.CellEmail:
		return "This is not an e-mail address, such as ada@example.org."
	case problem.CellUUID:
		return "This is not a UUID, such as 01a1f9e7-1bde-7bf8-ac8c-500f93581dd4."
	case problem.CellRange:
		return "The number is too large for this column."
	case problem.CellTooSmall:
		return "The number is below the minimum of this column."
	case problem.CellTooLarge:
		return "The number is above the maximum of this column."
	case problem.CellNUL:
		return "The text contains a NUL character, which cannot be stored."
	case problem.CellTooLong:
		return "The text is too long for this column."
	case problem.CellPattern:
		return "The text does not have the format of this column."
	case problem.CellList:
		return "This is not a list. Separate its entries with |, or use a JSON array of strings: go|aws."
	case problem.CellNested:
		return "This is a JSON object or array, but the column requires a single value."
	case problem.CellPrecision:
		return "The value would lose digits or its time of day in this column. Format cells with long numbers as text."
	case problem.CellTransform:
		return "The transformation steps of this column failed for this cell."
	}
	return "The value cannot be used here."
}
