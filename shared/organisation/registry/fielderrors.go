package registry

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/problem"
)

// maxName is the maximum length of a name in characters.
const maxName = 200

// fieldErrors are the errors of a request, by field.
type fieldErrors struct{ problem *problem.Error }

func (f *fieldErrors) add(field, rule string) {
	if f.problem == nil {
		f.problem = problem.New(problem.EntityInvalid, "Some fields are not valid.")
	}
	f.problem.With(field, problem.EntityInvalid, rule)
}

func (f *fieldErrors) err() error {
	if f.problem == nil {
		return nil
	}
	return f.problem
}

func (f *fieldErrors) checkName(name, example string) {
	if n := utf8.RuneCountInString(name); n == 0 || n > maxName || strings.TrimSpace(name) != name {
		f.add("name", fmt.Sprintf("A text of 1 to %d characters without surrounding white space, such as %q.", maxName, example))
	}
}

func (f *fieldErrors) checkDay(field, text, example string) (day time.Time, ok bool) {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil || day.Year() < 1 {
		f.add(field, "A date, such as "+example+".")
		return day, false
	}
	return day, true
}

func (f *fieldErrors) unexpected(field, text string) {
	if text != "" {
		f.add(field, "Unknown field. Remove it.")
	}
}
