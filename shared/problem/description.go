package problem

import (
	_ "embed"
	"strings"
)

// descriptions has a line for each code: CODE | cause | remedy. docs/errors.md is generated from it.
//
//go:embed errors.txt
var descriptions string

// Description is the usual cause of a code, and what to do about it. Backquotes enclose code.
type Description struct{ Cause, Remedy string }

// Describe returns the description of a code; ok is false if the code does not exist.
func Describe(code Code) (d Description, ok bool) {
	for line := range strings.Lines(descriptions) {
		if rest, found := strings.CutPrefix(line, string(code)+" | "); found {
			d.Cause, d.Remedy, _ = strings.Cut(strings.TrimSpace(rest), " | ")
			return d, true
		}
	}
	return Description{}, false
}
