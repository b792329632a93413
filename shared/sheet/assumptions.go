package sheet

import (
	"cmp"
	"time"

	"github.com/loadbay/loadbay/shared/sheet/charset"
)

// Assumptions define how a file is read where it is ambiguous: the answers that a caller would
// give if asked. Unlike Options, they never override what the file itself determines.
type Assumptions struct {
	DateOrder   string `json:"dateOrder,omitempty"`   // for columns in which no cell decides
	DecimalMark string `json:"decimalMark,omitempty"` // likewise
	Encoding    string `json:"encoding,omitempty"`    // where the letters do not determine it
	TimeZone    string `json:"timeZone,omitempty"`    // zone of times without one, as in "Europe/Paris"; "" is UTC
}

// CheckRules calls check for each assumption with its validity and the rule it must follow.
func (a *Assumptions) CheckRules(check func(ok bool, field, rule string)) {
	_, known := charset.CanonicalName(a.Encoding)
	check(a.DateOrder == "" || IsDateOrder(a.DateOrder), "dateOrder", "One of dmy, mdy, ymd.")
	check(a.DecimalMark == "" || IsDecimalMark(a.DecimalMark), "decimalMark", "A point or a comma.")
	check(a.Encoding == "" || known, "encoding", charset.EncodingRule())
	check(a.TimeZone == "" || isTimeZone(a.TimeZone), "timeZone", `The name of a time zone, as in "Europe/Paris".`)
}

// WithDefaults returns the assumptions, with those of b where a is unset.
func (a Assumptions) WithDefaults(b Assumptions) Assumptions {
	return Assumptions{
		DateOrder: cmp.Or(a.DateOrder, b.DateOrder), DecimalMark: cmp.Or(a.DecimalMark, b.DecimalMark),
		Encoding: cmp.Or(a.Encoding, b.Encoding), TimeZone: cmp.Or(a.TimeZone, b.TimeZone),
	}
}

// isTimeZone reports whether s is the name of a time zone. "Local" is not, because it depends on
// the machine that reads the file.
func isTimeZone(s string) bool {
	_, err := time.LoadLocation(s)
	return err == nil && s != "Local"
}
