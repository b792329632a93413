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

// Explain says in a sentence for people why the cell was refused with the code. It
// repeats what can be read in several ways, with what it may be.
func (d *Decoder) Explain(c sheet.Cell, code problem.Code) string {
	written := c.Kind == sheet.Text
	switch {
	case code == problem.CellDate && written && d.dateReadings(c.Bytes) != "":
		return d.dateReadings(c.Bytes) + ". Write it as year, month and day, 2026-01-31, or state the date order (dateOrder)."
	case code == problem.CellDate && written && d.serialDay(c.Bytes) != "":
		return "This is a number, not a date: only in a workbook, as a number, it would be " + d.serialDay(c.Bytes) + ". Write it as year, month and day: 2026-01-31."
	case code == problem.CellDate && dateOrderPhrases[d.order] != "":
		return "This is not a date. Dates of this column are read " + dateOrderPhrases[d.order] + ". Year, month and day, 2026-01-31, can always be read."
	case code == problem.CellNumber && written && (d.mark == 0 || d.markAssumed) && d.numberReadings(c.Bytes) != "":
		return d.numberReadings(c.Bytes) + ". Write it without groups of thousands, or state the decimal mark (decimalMark)."
	case code == problem.CellNumber && written && d.mark == ',':
		return "This is not a number. Decimals follow a comma in this column."
	}
	return ExplainCode(code)
}

// dateOrderPhrases says to people how dates are read in each order.
var dateOrderPhrases = map[string]string{
	sheet.DayFirst:   "day first: 31/01/2026",
	sheet.MonthFirst: "month first: 01/31/2026",
	sheet.YearFirst:  "year first: 2026/01/31",
}

// dateReadings says which days a date may be that only an order could decide; "" of
// any other text.
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

// numberReadings says which numbers a text may be that only a decimal mark could decide; ""
// of any other text.
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

// joinAlternatives lists what something may be: "a, b or c".
func joinAlternatives(may []string) string {
	last := len(may) - 1
	return strings.Join(may[:last], ", ") + " or " + may[last]
}

// serialDay is the day that spreadsheet programs show for a whole number of five
// digits, which is what they write of a date whose cell has no format for dates.
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

// ExplainCode says in a sentence for people what the code of a row or cell means.
func ExplainCode(code problem.Code) string {
	switch code {
	case problem.RowWidth:
		return "The row does not have as many cells as the header."
	case problem.BadJSON:
		return "The line is not one JSON object with different keys."
	case problem.CellRequired:
		return "A value is required."
	case problem.CellFormula:
		return "The formula has no stored result. Open the workbook in a spreadsheet program and save it again."
	case problem.CellError:
		return "The cell shows an error of the spreadsheet, such as #REF!."
	case problem.CellDate:
		return "This is not a date. Write it as year, month and day: 2026-01-31."
	case problem.CellNumber:
		return "This is not a number. Write it with digits only, and a point before decimals: 1234.5."
	case problem.CellBoolean:
		return "This is neither yes nor no. Write yes or no, true or false, 1 or 0."
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
		return "This is not a list. Write its entries with | between them, or as a JSON array of texts: go|aws."
	case problem.CellNested:
		return "This is a JSON object or array. The column takes a single value."
	case problem.CellPrecision:
		return "The value would lose digits or its time of the day in this column. Long numbers keep their digits in cells that are formatted as text."
	case problem.CellTransform:
		return "The steps that change the cells of this column do not fit this one."
	}
	return "The value cannot be used here."
}
