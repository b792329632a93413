package result

import (
	"strconv"
	"strings"
)

// parseMilliseconds parses a time that matches the field's pattern, such as "1:02:03.5" or
// "59:59"; 0 for none.
func parseMilliseconds(text string) int64 {
	clock, fraction, _ := strings.Cut(strings.Replace(text, ",", ".", 1), ".")
	var seconds int64
	for _, part := range strings.Split(clock, ":") {
		n, _ := strconv.ParseInt(part, 10, 64) // the pattern allows only digits
		seconds = seconds*60 + n
	}
	ms, _ := strconv.ParseInt((fraction + "000")[:3], 10, 64)
	return seconds*1000 + ms
}

// maybeHours reports whether a time that is read as minutes and seconds may consist of hours and
// minutes, as Excel writes it into CSV: two numbers, of which the first can be an hour.
func maybeHours(text string) bool {
	first, second, ok := strings.Cut(text, ":")
	hours, err := strconv.Atoi(first)
	return ok && err == nil && hours < 24 && !strings.ContainsAny(second, ":.,")
}
