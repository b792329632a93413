package value

import (
	"bytes"

	"github.com/loadbay/loadbay/shared/sheet"
)

// Survey finds out from all rows of a file how the texts of each column are read.
// Its answers do not depend on the order of the rows.
type Survey struct {
	columns []columnSurvey
	only    []int // the columns that are looked at
	// convention is the decimal mark that programs write in files of this kind; 0
	// where people's programs write what is usual in their country.
	convention byte
	assumed    sheet.Assumptions
	numbers    Decoder
}

// columnSurvey counts the texts of a column that can be read in several ways.
type columnSurvey struct {
	dates           [dmy | mdy | ymd + 1]int64 // by the orders in which each can be meant
	ambiguous       int64                      // dates that are several days
	decidedByPoints int64                      // dates that only the points in them make one day

	point, comma             int64 // numbers that can only have that decimal mark
	eitherPoint, eitherComma int64 // numbers that can have either: 1.234, and 1,234
}

// NewSurvey returns a survey of a file.
func NewSurvey(d *sheet.Dialect) *Survey {
	s := &Survey{columns: make([]columnSurvey, len(d.Header)), only: make([]int, len(d.Header)), assumed: d.Assumed}
	for i := range s.only {
		s.only[i] = i
	}
	// Spreadsheet programs write semicolons between cells where the comma is taken.
	if d.Format == sheet.NDJSON || d.Format == sheet.CSV && d.Delimiter != ";" {
		s.convention = '.'
	}
	return s
}

// OnlyColumns looks at those columns only from now on, counted from 0.
func (s *Survey) OnlyColumns(columns []int) { s.only = columns }

// Add looks at a row. One that is refused as a whole says nothing: its cells may stand
// in other columns.
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

// maxSurveyedBytes is the longest text that is looked at, in bytes: longer ones are no dates,
// and no numbers of which two readings are in doubt.
const maxSurveyedBytes = 64

// addText looks at a text. Nearly all are told by their first byte that is no digit.
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

// date counts a text that is a date of digits, and reports whether it is one.
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
	case several: // one day in all orders, as 5/5/2026, says nothing
		return true
	}
	c.dates[meant]++
	return true
}

// number counts a text that is a number with a point or a comma in it.
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

// Locale is what the rows so far say about a column, counted from 0.
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

// dateOrder is the order that all dates have in common. Dates whose points make
// them one day do not decide for others; they only must not contradict them.
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
	case f.Value == "":
		f.Evidence, f.Ambiguous = sheet.Ambiguous, c.ambiguous
	}
	return f
}

// decimalMark is the mark that all numbers have in common. Where none decides, a
// point in a file that programs write is a decimal point.
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
