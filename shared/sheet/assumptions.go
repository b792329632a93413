package sheet

import (
	"cmp"
	"time"

	"github.com/loadbay/loadbay/shared/sheet/charset"
)

// Assumptions are how a file is read where it leaves that open: what a caller would
// say who was asked. They never overrule what the file itself says, unlike Options.
type Assumptions struct {
	DateOrder   string `json:"dateOrder,omitempty"`   // of columns of which no cell decides
	DecimalMark string `json:"decimalMark,omitempty"` // likewise
	Encoding    string `json:"encoding,omitempty"`    // where the letters do not tell it for certain
	TimeZone    string `json:"timeZone,omitempty"`    // of times without one, as in "Europe/Paris"; "" is UTC
}

// CheckRules calls check for each assumption with whether it is one, and what it must be.
func (a *Assumptions) CheckRules(check func(ok bool, field, rule string)) {
	_, known := charset.CanonicalName(a.Encoding)
	check(a.DateOrder == "" || IsDateOrder(a.DateOrder), "dateOrder", "One of dmy, mdy, ymd.")
	check(a.DecimalMark == "" || IsDecimalMark(a.DecimalMark), "decimalMark", "A point or a comma.")
	check(a.Encoding == "" || known, "encoding", charset.EncodingRule())
	check(a.TimeZone == "" || isTimeZone(a.TimeZone), "timeZone", `The name of a time zone, as in "Europe/Paris".`)
}

// WithDefaults returns the assumptions, with others where there are none.
func (a Assumptions) WithDefaults(b Assumptions) Assumptions {
	return Assumptions{
		DateOrder: cmp.Or(a.DateOrder, b.DateOrder), DecimalMark: cmp.Or(a.DecimalMark, b.DecimalMark),
		Encoding: cmp.Or(a.Encoding, b.Encoding), TimeZone: cmp.Or(a.TimeZone, b.TimeZone),
	}
}

// isTimeZone reports whether s is the name of a time zone. "Local", that of whichever
// machine reads the file, is none.
func isTimeZone(s string) bool {
	_, err := time.LoadLocation(s)
	return err == nil && s != "Local"
}
