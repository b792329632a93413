package command

import (
	"strings"
	"time"
)

// listPageSize is the most entries that a page of most lists has.
const listPageSize = 200

// formatEnum is a constant of the API as people read it.
func formatEnum[T ~string](constant T) string {
	return strings.ToLower(strings.ReplaceAll(string(constant), "_", " "))
}

// formatTime is a time on the clock of this machine; "-" is none.
func formatTime(t *time.Time) string {
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
