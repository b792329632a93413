package content

import (
	"bytes"

	"golang.org/x/text/language"

	"github.com/loadbay/loadbay/shared/country"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/value"
)

// maxLength is the maximum length of examined texts in bytes: longer ones are sentences.
const maxLength = 254

// Detector detects the kinds of values. It accepts the same dates and numbers as imports, in
// any order and with any decimal mark. It is not safe for concurrent use.
type Detector struct{ dayFirst, monthFirst *value.Decoder }

// NewDetector returns a detector.
func NewDetector() *Detector {
	reading := func(order, mark string) *value.Decoder {
		return value.New(&sheet.Dialect{Format: sheet.CSV, DateOrder: order, DecimalMark: mark})
	}
	return &Detector{dayFirst: reading(sheet.DayFirst, ","), monthFirst: reading(sheet.MonthFirst, ".")}
}

// Detect returns all possible kinds of a text, ignoring white space around it.
func (d *Detector) Detect(text []byte) Kind {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || len(text) > maxLength {
		return 0
	}
	s, cell := shapeOf(text), sheet.Cell{Kind: sheet.Text, Bytes: text}
	if s.at == 1 {
		if _, code := d.dayFirst.Email(cell); code == "" {
			return Email
		}
		return 0
	}
	if isURL(text) {
		return URL
	}
	var found Kind
	if len(text) >= 32 && s.digits > 0 {
		if _, code := d.dayFirst.UUID(cell); code == "" {
			return UUID
		}
	}
	if s.digits > 0 {
		found |= d.numeric(cell, s)
	}
	if s.digits == 0 {
		found |= d.words(cell, s)
	}
	return found
}

// numeric detects the kinds of texts with digits in them.
func (d *Detector) numeric(c sheet.Cell, s shape) (found Kind) {
	if s.digits >= 3 && len(c.Bytes) <= 40 {
		found |= d.day(c)
	}
	switch {
	case found != 0:
	case s.isPostal(c.Bytes):
		found = Postal
	case s.isPhone(c.Bytes):
		found = Phone
	}
	if s.letters > 1 {
		return found
	}
	if _, code := d.monthFirst.Int64(c); code == "" {
		return found | Integer | Decimal
	}
	if _, code := d.dayFirst.Int64(c); code == "" {
		return found | Integer | Decimal
	}
	for _, reading := range [...]*value.Decoder{d.monthFirst, d.dayFirst} {
		if _, code := reading.Decimal(c); code == "" {
			return found | Decimal
		}
	}
	return found
}

// day detects dates, with or without a time.
func (d *Detector) day(c sheet.Cell) Kind {
	for _, reading := range [...]*value.Decoder{d.dayFirst, d.monthFirst} {
		if _, code := reading.Timestamp(c); code != "" {
			continue
		}
		if bytes.IndexByte(c.Bytes, ':') >= 0 {
			return Timestamp
		}
		return Date
	}
	return 0
}

// words detects the kinds of texts without digits.
func (d *Detector) words(c sheet.Cell, s shape) (found Kind) {
	// An f is just as likely to mean female.
	if _, code := d.dayFirst.Bool(c); code == "" && (len(c.Bytes) > 1 || bytes.ContainsAny(c.Bytes, "yYjJnN")) {
		found |= Boolean
	}
	if s.letters >= 2 && len(c.Bytes) <= 60 && isCountry(c.Bytes, s) {
		found |= Country
	}
	return found
}

// isCountry accepts codes in capitals only: lower-case letters are words.
func isCountry(text []byte, s shape) bool {
	if len(text) <= 3 {
		if s.capitals != len(text) {
			return false
		}
		region, err := language.ParseRegion(string(text))
		return err == nil && region.IsCountry()
	}
	_, known := country.Code(string(text))
	return known
}

func isURL(text []byte) bool {
	for _, start := range [...]string{"http://", "https://", "www."} {
		if len(text) > len(start) && bytes.EqualFold(text[:len(start)], []byte(start)) {
			return bytes.IndexByte(text, ' ') < 0
		}
	}
	return false
}
