package command

import (
	"strings"
	"time"
)

// listPageSize is the maximum page size of most lists.
const listPageSize = 200

// formatEnum formats a constant of the API for people.
func formatEnum[T ~string](constant T) string {
	return strings.ToLower(strings.ReplaceAll(string(constant), "_", " "))
}

// formatTime formats a time in the local time zone; "-" means none.
func formatTime(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.Local().Format(time.DateTime)
}

// yesNo formats a boolean for a table.
func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "-"
}
