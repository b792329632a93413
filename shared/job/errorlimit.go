package job

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// ErrorLimit is how many rows of an import may be in error before the rest of it is
// left: a number, "100", or a share of all its rows, "2.5%". "" is no limit.
type ErrorLimit string

// ErrorLimitRule says what an ErrorLimit must be.
const ErrorLimitRule = `A number of rows from 0, as in 100, or a share of all rows below 100 percent, as in "2.5%".`

var errorLimitPattern = regexp.MustCompile(`^(\d{1,9}|\d{1,2}(\.\d{1,2})?%)$`)

// Valid reports whether it is a limit, or none.
func (l ErrorLimit) Valid() bool { return l == "" || errorLimitPattern.MatchString(string(l)) }

// UnmarshalJSON takes a text, or a number: "5%", "100" and 100.
func (l *ErrorLimit) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] >= '0' && text[0] <= '9' {
		*l = ErrorLimit(text)
		return nil
	}
	return json.Unmarshal(text, (*string)(l))
}

// Exceeded reports whether so many rows in error, of all rows of the file, are more than
// there may be.
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

// Failure is why a job has ended that has come so far: more rows are in error than the
// limit.
func (l ErrorLimit) Failure(code string, p Progress) *Failure {
	return &Failure{
		Code: code,
		Message: fmt.Sprintf("%d of %d rows are in error already, and no more than %s may be. %d rows have not been imported.",
			p.Counts.Errored, p.TotalRows, l, p.TotalRows-p.Counts.Processed()),
	}
}
