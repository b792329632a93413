package command

import (
	"strings"
	"time"
)

// listPage is the most entries that a page of most lists has.
const listPage = 200

// words is a constant of the API as people read it.
func words[T ~string](constant T) string {
	return strings.ToLower(strings.ReplaceAll(string(constant), "_", " "))
}

// moment is a time on the clock of this machine; "-" is none.
func moment(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.Local().Format(time.DateTime)
}

// yesNo is a truth value in a table.
func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "-"
}
