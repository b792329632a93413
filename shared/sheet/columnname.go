package sheet

import (
	"slices"
	"strconv"
	"strings"
)

// ColumnNamed is the place, from 0, of the column that a person names in a file with
// that header: by its name; as Name#2, the second of the columns that have the name; as
// #3, the third column, whatever its name. -1 where there is none.
func ColumnNamed(header []string, name string) int {
	if i := slices.Index(header, name); i >= 0 && name != "" {
		return i
	}
	base, number, found := cutLast(name, "#")
	n, err := strconv.Atoi(number)
	if !found || err != nil || n < 1 {
		return -1
	}
	if base == "" {
		if n > len(header) {
			return -1
		}
		return n - 1
	}
	for i := range header {
		if header[i] != base {
			continue
		}
		if n--; n == 0 {
			return i
		}
	}
	return -1
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
