package schedule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// set is the values that a field allows.
type set map[int]bool

func (s set) has(value int) bool { return s[value] }

// field is one of a cron expression's: numbers from low to high, which may be
// written by name, too; the first name is low.
type field struct {
	name      string
	low, high int
	names     []string
}

// parse reads a list of values, ranges and steps: "*", "5", "1-5", "*/15", "10/5", "1,2,MAR".
func (f field) parse(text string) (set, error) {
	allowed := set{}
	for part := range strings.SplitSeq(text, ",") {
		if err := f.add(allowed, part); err != nil {
			return nil, fmt.Errorf("%s %q: %w", f.name, text, err)
		}
	}
	return allowed, nil
}

func (f field) add(allowed set, part string) error {
	span, stepText, stepped := strings.Cut(part, "/")
	step := 1
	if stepped {
		var err error
		if step, err = strconv.Atoi(stepText); err != nil || step < 1 {
			return fmt.Errorf("the step %q is not a number above 0", stepText)
		}
	}
	from, to, err := f.span(span, stepped)
	if err != nil {
		return err
	}
	for value := from; value <= to; value += step {
		allowed[value] = true
	}
	return nil
}

// span reads what is before a step; a single value with a step goes to the end.
func (f field) span(text string, stepped bool) (from, to int, err error) {
	if text == "*" {
		return f.low, f.high, nil
	}
	first, last, isRange := strings.Cut(text, "-")
	if from, err = f.value(first); err != nil {
		return 0, 0, err
	}
	switch {
	case isRange:
		if to, err = f.value(last); err != nil {
			return 0, 0, err
		}
		if to < from {
			return 0, 0, fmt.Errorf("%s is before %s", last, first)
		}
		return from, to, nil
	case stepped:
		return from, f.high, nil
	}
	return from, from, nil
}

func (f field) value(text string) (int, error) {
	if at := slices.Index(f.names, strings.ToUpper(text)); at >= 0 {
		return f.low + at, nil
	}
	value, err := strconv.Atoi(text)
	if err != nil || value < f.low || value > f.high {
		return 0, fmt.Errorf("%q is not a number from %d to %d", text, f.low, f.high)
	}
	return value, nil
}
