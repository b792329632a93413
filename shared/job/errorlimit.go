package job

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// ErrorLimit is the number of rows in error after which an import stops: a number, "100",
// or a share of all its rows, "2.5%". "" is no limit.
type ErrorLimit string

// ErrorLimitRule describes the format of an ErrorLimit.
const ErrorLimitRule = `A number of rows, such as 100, or a percentage of all rows below 100, such as "2.5%".`

var errorLimitPattern = regexp.MustCompile(`^(\d{1,9}|\d{1,2}(\.\d{1,2})?%)$`)

// Valid reports whether it is a limit or empty.
func (l ErrorLimit) Valid() bool { return l == "" || errorLimitPattern.MatchString(string(l)) }

// UnmarshalJSON accepts a text or a number: "5%", "100" and 100.
func (l *ErrorLimit) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] >= '0' && text[0] <= '9' {
		*l = ErrorLimit(text)
		return nil
	}
	return json.Unmarshal(text, (*string)(l))
}

// Exceeded reports whether errored rows, out of all rows of the file, exceed the limit.
func (l ErrorLimit) Exceeded(errored, all int64) bool {
	if l == "" {
		return false
	}
	text, share := strings.CutSuffix(string(l), "%")
	limit, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return false
	}
	if share {
		limit *= float64(all) / 100
	}
	return float64(errored) > limit
}

// Failure returns the failure of a job with this progress that exceeded the limit.
func (l ErrorLimit) Failure(code string, p Progress) *Failure {
	return &Failure{
		Code: code,
		Message: fmt.Sprintf("%d of %d rows have errors, and the limit is %s. %d rows were not imported.",
			p.Counts.Errored, p.TotalRows, l, p.TotalRows-p.Counts.Processed()),
	}
}
