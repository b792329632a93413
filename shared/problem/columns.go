package problem

import "strings"

// NoColumnFor says which columns a file lacks, by the titles of their fields. It does not
// repeat the file's own headers: the message is in logs and in the execution's history.
func NoColumnFor(titles []string) *Error {
	return New(RequiredColumn, "The file has no column for: %s.", strings.Join(titles, ", "))
}
