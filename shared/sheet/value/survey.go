package value

import (
	"bytes"

	"github.com/loadbay/loadbay/shared/sheet"
)

// Survey determines from all rows of a file how the texts of each column are parsed. Its result
// does not depend on the order of the rows.
type Survey struct {
	columns []columnSurvey
	only    []int // the surveyed columns
	// convention is the decimal mark in files of this kind written by programs; 0 if programs write
	// the mark that is usual in their user's country.
	convention byte
	assumed    sheet.Assumptions
	numbers    Decoder
}

// columnSurvey counts the ambiguous texts of a column.
type columnSurvey struct {
	dates           [dmy | mdy | ymd + 1]int64 // by their possible orders
	ambiguous       int64                      // ambiguous dates
	decidedByPoints int64                      // dates that are only unambiguous because of their points

	point, comma             int64 // numbers that are valid with this decimal mark only
	eitherPoint, eitherComma int64 // numbers that are valid with both: 1.234, and 1,234
}

// NewSurvey returns a survey of a file.
func NewSurvey(d *sheet.Dialect) *Survey {
	s := &Survey{columns: make([]columnSurvey, len(d.Header)), only: make([]int, len(d.Header)), assumed: d.Assumed}
	for i := range s.only {
		s.only[i] = i
	}
	// Spreadsheet programs write semicolons between cells in countries with a decimal comma.
	if d.Format == sheet.NDJSON || d.Format == sheet.CSV && d.Delimiter != ";" {
		s.convention = '.'
	}
	return s
}

// OnlyColumns restricts the survey to these columns, counted from 0.
func (s *Survey) OnlyColumns(columns []int) { s.only = columns }

// Add adds a row. An invalid row is ignored, because its cells may be in the wrong columns.
func (s *Survey) Add(r *sheet.Row) {
	if r.ErrorCode != "" {
		return
	}
	for _, i := range s.only {
		if i < len(r.Cells) && r.Cells[i].Kind == sheet.Text {
			s.columns[i].addText(&s.numbers, r.Cells[i].Bytes)
		}
	}
}

// maxSurveyedBytes is the maximum length of a surveyed text: longer ones are neither dates nor
// ambiguous numbers.
const maxSurveyedBytes = 64

// addText adds a text. Nearly all can be classified by their first byte that is not a digit.
func (c *columnSurvey) addText(numbers *Decoder, b []byte) {
	if len(b) == 0 || len(b) > maxSurveyedBytes || b[0] > '9' && b[0] < 0x80 {
		return
	}
	b = trimSpace(b)
	n := 0
	for n < len(b) && b[n] >= '0' && b[n] <= '9' {
		n++
	}
	if n == len(b) {
		return
	}
	switch sep := b[n]; {
	case (sep == '/' || sep == '-' || sep == '.' || sep == ' ') && (n == 1 || n == 2) && c.date(b):
	case sep == '/' || sep == ':' || sep|0x20 >= 'a' && sep|0x20 <= 'z':
	case sep == '-' && n > 0:
	default:
		c.number(numbers, b)
	}
}

// date counts a text that is a numeric date, and reports whether it is one.
func (c *columnSurvey) date(b []byte) bool {
	p := dateParser{rest: b}
	p.date()
	meant, byPoints := p.numerals.plausibleOrders()
	if meant == 0 || !p.time() || len(p.rest) > 0 {
		return false
	}
	several := meant&(meant-1) != 0
	switch {
	case byPoints:
		c.decidedByPoints++
		return true
	case p.ambiguous:
		c.ambiguous++
	case several: // the same date in all orders, as 5/5/2026, decides nothing
		return true
	}
	c.dates[meant]++
	return true
}

// number counts a text that is a number with a point or a comma.
func (c *columnSurvey) number(d *Decoder, b []byte) {
	if !bytes.ContainsAny(b, ".,") {
		return
	}
	_, withPoint := d.parse(b, '.', true)
	_, withComma := d.parse(b, ',', true)
	switch {
	case withPoint == "" && withComma != "":
		c.point++
	case withComma == "" && withPoint != "":
		c.comma++
	case withPoint != "":
	case bytes.IndexByte(b, '.') >= 0:
		c.eitherPoint++
	default:
		c.eitherComma++
	}
}

// Locale returns the locale of a column, counted from 0, according to the rows so far.
func (s *Survey) Locale(column int) sheet.Locale {
	if column >= len(s.columns) {
		return sheet.Locale{DateOrder: sheet.Finding{Evidence: sheet.None}, DecimalMark: sheet.Finding{Evidence: sheet.None}}
	}
	c := &s.columns[column]
	l := sheet.Locale{DateOrder: c.dateOrder(), DecimalMark: c.decimalMark(s.convention)}
	l.DateOrder.ApplyAssumption(s.assumed.DateOrder)
	l.DecimalMark.ApplyAssumption(s.assumed.DecimalMark)
	return l
}

// dateOrder returns the order that all dates have in common. Dates that are unambiguous only
// because of their points do not decide for others; they only must not contradict them.
func (c *columnSurvey) dateOrder() sheet.Finding {
	common, all := dmy|mdy|ymd, int64(0)
	for meant, n := range c.dates {
		if n > 0 {
			common &= dateOrders(meant)
			all += n
		}
	}
	f := sheet.Finding{Evidence: sheet.Decided, DecidedBy: all - c.dates[dmy|mdy] - c.dates[dmy|mdy|ymd]}
	for _, o := range orderNames {
		if common == o.order {
			f.Value = o.name
		}
	}
	switch {
	case all == 0 && c.decidedByPoints > 0:
		f.Value, f.Evidence = sheet.DayFirst, sheet.Conventional
	case all == 0:
		f.Evidence = sheet.None
	case common == 0, common&dmy == 0 && c.decidedByPoints > 0:
		f.Value, f.Evidence, f.Ambiguous = "", sheet.Contradictory, c.ambiguous+c.decidedByPoints
		f.ByOrder = sheet.OrderCounts{DayFirst: c.dates[dmy], MonthFirst: c.dates[mdy], YearFirst: c.dates[ymd]}
	case f.Value == "":
		f.Evidence, f.Ambiguous = sheet.Ambiguous, c.ambiguous
	}
	return f
}

// decimalMark returns the mark that all numbers have in common. If none decides, a point in a file
// written by programs is a decimal point.
func (c *columnSurvey) decimalMark(convention byte) sheet.Finding {
	f := sheet.Finding{Evidence: sheet.Decided, DecidedBy: c.point + c.comma}
	ambiguous := c.eitherPoint + c.eitherComma
	switch {
	case c.point > 0 && c.comma > 0:
		f.Evidence, f.Ambiguous = sheet.Contradictory, ambiguous
	case c.point > 0:
		f.Value = "."
	case c.comma > 0:
		f.Value = ","
	case ambiguous == 0:
		f.Evidence = sheet.None
	case convention == '.' && c.eitherComma == 0:
		f.Value, f.Evidence, f.Ambiguous = ".", sheet.Conventional, ambiguous
	default:
		f.Evidence, f.Ambiguous = sheet.Ambiguous, ambiguous
	}
	return f
}
