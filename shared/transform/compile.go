package transform

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// runner changes a text; it returns false if the text does not match.
type runner func(text string) (string, bool)

// alwaysFits returns a runner that matches every text.
func alwaysFits(change func(string) string) runner {
	return func(text string) (string, bool) { return change(text), true }
}

// compile checks a step and prepares it. Its errors are complete sentences.
func (s *Step) compile() (runner, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	switch s.Op {
	case Trim:
		return alwaysFits(func(text string) string { return strings.Join(strings.Fields(text), " ") }), nil
	case Upper:
		return alwaysFits(func(text string) string { return cases.Upper(language.Und).String(text) }), nil
	case Lower:
		return alwaysFits(func(text string) string { return cases.Lower(language.Und).String(text) }), nil
	case Title:
		return alwaysFits(func(text string) string { return cases.Title(language.Und).String(text) }), nil
	case Strip:
		return s.strip()
	case Replace:
		return s.replace()
	case Extract:
		return s.extract()
	case Split:
		return s.split()
	case Date:
		return s.date()
	case Map:
		return s.mapValues()
	case Default:
		return s.defaultValue()
	case Convert:
		return s.convert()
	}
	return nil, fmt.Errorf("op must be one of %s", ops)
}

const ops = "trim, upper, lower, title, strip, replace, extract, split, date, map, default and convert"

// arguments lists the arguments of each kind of step.
var arguments = map[Op]string{
	Strip: "what", Replace: "old new", Extract: "pattern group otherwise", Split: "separator part rest otherwise",
	Date: "pattern otherwise", Map: "values otherwise", Default: "value", Convert: "unit",
}

// check rejects arguments of another kind of step, and arguments that are too long.
func (s *Step) check() error {
	taken := strings.Fields(arguments[s.Op])
	for _, a := range []struct {
		name  string
		given bool
	}{
		{"what", s.What != ""}, {"old", s.Old != ""}, {"new", s.New != ""}, {"pattern", s.Pattern != ""}, {"group", s.Group != 0},
		{"separator", s.Separator != ""}, {"part", s.Part != 0}, {"rest", s.Rest}, {"values", s.Values != nil}, {"value", s.Value != ""}, {"unit", s.Unit != ""},
		{"otherwise", s.Otherwise != FallbackError},
	} {
		if a.given && !contains(taken, a.name) {
			return fmt.Errorf("%s is not allowed", a.name)
		}
	}
	if s.Otherwise != FallbackError && s.Otherwise != FallbackKeep && s.Otherwise != FallbackEmpty {
		return errors.New(`otherwise must be "keep", "empty" or omitted`)
	}
	texts := []string{s.Old, s.New, s.Pattern, s.Separator, s.Value}
	for from, to := range s.Values {
		texts = append(texts, from, to)
	}
	for _, text := range texts {
		if utf8.RuneCountInString(text) > MaxArgument {
			return fmt.Errorf("an argument can have at most %d characters", MaxArgument)
		}
	}
	return nil
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

func (s *Step) replace() (runner, error) {
	if s.Old == "" {
		return nil, errors.New("old is required: the text to replace")
	}
	old, fresh := s.Old, s.New
	return func(text string) (string, bool) {
		if n := strings.Count(text, old); len(text)+n*(len(fresh)-len(old)) > maxMemory {
			return text + strings.Repeat(" ", maxMemory), true // rejected because of its length
		}
		return strings.ReplaceAll(text, old, fresh), true
	}, nil
}

func (s *Step) extract() (runner, error) {
	pattern, err := regexp.Compile(s.Pattern)
	if err != nil || s.Pattern == "" {
		return nil, errors.New("pattern is not a regular expression (RE2), such as ([0-9]+)")
	}
	if s.Group < 0 || s.Group > pattern.NumSubexp() {
		return nil, fmt.Errorf("the pattern has only %d groups; 0 is the whole match", pattern.NumSubexp())
	}
	if programSize(s.Pattern) > maxProgram {
		return nil, errors.New("pattern has too large repetitions: use + or * instead of {n,m}")
	}
	group := s.Group
	return func(text string) (string, bool) {
		found := pattern.FindStringSubmatchIndex(text)
		if found == nil || found[2*group] < 0 {
			return "", false
		}
		return text[found[2*group]:found[2*group+1]], true
	}, nil
}

// work returns the work of the step for each byte of text.
func (s *Step) work() int64 {
	if s.Op != Extract {
		return stepWork
	}
	return int64(programSize(s.Pattern))
}

// programSize returns the number of instructions of a pattern, each of which may cost a step per
// character.
func programSize(pattern string) int {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0 // regexp.Compile has refused it
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0
	}
	return len(program.Inst)
}

func (s *Step) split() (runner, error) {
	if s.Separator == "" {
		return nil, errors.New(`separator is required, such as ","`)
	}
	if s.Part == 0 || s.Part < -maxSplitPart || s.Part > maxSplitPart || s.Rest && s.Part < 0 {
		return nil, fmt.Errorf("part must be a number from 1 (first) to %d, or from -1 (last) to -%d; rest requires a positive part", maxSplitPart, maxSplitPart)
	}
	separator, part, rest := s.Separator, s.Part, s.Rest
	return func(text string) (string, bool) {
		parts := strings.Split(text, separator)
		at := part - 1
		if part < 0 {
			at = len(parts) + part
		}
		if at < 0 || at >= len(parts) {
			return "", false
		}
		if rest {
			return strings.TrimSpace(strings.Join(parts[at:], separator)), true
		}
		return strings.TrimSpace(parts[at]), true
	}, nil
}

func (s *Step) mapValues() (runner, error) {
	if len(s.Values) == 0 || len(s.Values) > MaxMapEntries {
		return nil, fmt.Errorf(`values is required, such as {"Oui": "true"}, with at most %d entries`, MaxMapEntries)
	}
	values := make(map[string]string, len(s.Values))
	for from, to := range s.Values {
		key := wordKey(from)
		if other, twice := values[key]; twice && other != to {
			return nil, errors.New("two values differ only in case or spaces")
		}
		values[key] = to
	}
	return func(text string) (string, bool) {
		to, known := values[wordKey(text)]
		if !known && text == "" {
			return "", true
		}
		return to, known
	}, nil
}

// wordKey is equal for texts that differ only in case or surrounding spaces.
func wordKey(text string) string { return cases.Fold().String(strings.TrimSpace(text)) }

func (s *Step) defaultValue() (runner, error) {
	if s.Value == "" {
		return nil, errors.New("value is required: the text for empty cells")
	}
	value := s.Value
	return alwaysFits(func(text string) string {
		if strings.TrimSpace(text) == "" {
			return value
		}
		return text
	}), nil
}

// convert returns a runner that leaves the text unchanged: the number is converted after it was
// read, because the decimal mark of the text is not known here.
func (s *Step) convert() (runner, error) {
	if _, known := NewFactor(s.Unit, s.Unit); !known {
		return nil, errors.New("unit must be the unit of the values, such as g or lb")
	}
	return alwaysFits(func(text string) string { return text }), nil
}
