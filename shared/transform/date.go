package transform

import (
	"errors"
	"strings"
	"time"
)

// tokens are the parts of a date pattern, for each letter the longest first, with their Go layouts.
var tokens = []struct{ token, layout string }{
	{"YYYY", "2006"}, {"YY", "06"}, {"MMMM", "January"}, {"MMM", "Jan"}, {"MM", "01"}, {"M", "1"}, {"DD", "02"}, {"D", "2"},
	{"HH", "15"}, {"hh", "03"}, {"mm", "04"}, {"ss", "05"}, {"A", "PM"},
}

// centuryPivot is the first two-digit year of the previous century, as everywhere in Loadbay: 30 is
// 1930, 29 is 2029.
const centuryPivot = 1930

func (s *Step) date() (runner, error) {
	layout, ok := layoutOf(s.Pattern)
	if !ok {
		return nil, errors.New("pattern must consist of YYYY or YY, MMMM, MMM, MM or M, DD or D and, for times, HH, mm, ss, such as DD.MM.YYYY")
	}
	short := strings.Contains(layout, "06") && !strings.Contains(layout, "2006")
	timed := strings.Contains(layout, "04")
	return func(text string) (string, bool) {
		at, err := time.Parse(layout, strings.TrimSpace(text))
		if err != nil {
			return "", false
		}
		if short {
			at = at.AddDate((at.Year()-centuryPivot%100)%100+centuryPivot-at.Year(), 0, 0)
		}
		if timed {
			return at.Format("2006-01-02T15:04:05"), true
		}
		return at.Format(time.DateOnly), true
	}, nil
}

// layoutOf converts a pattern to a Go layout, and reports whether it describes a date.
func layoutOf(pattern string) (string, bool) {
	var layout strings.Builder
	seen := make(map[byte]bool)
	for pattern != "" {
		token, rest := nextToken(pattern)
		if token == "" {
			c := pattern[0]
			if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' && c != 'T' || c >= 'A' && c <= 'Z' && c != 'T' {
				return "", false // it would be interpreted as part of a layout
			}
			layout.WriteByte(c)
			pattern = pattern[1:]
			continue
		}
		if seen[pattern[0]] {
			return "", false
		}
		seen[pattern[0]] = true
		layout.WriteString(token)
		pattern = rest
	}
	return layout.String(), seen['Y'] && seen['M'] && seen['D']
}

// nextToken returns the layout of the token at the start of the pattern, or "".
func nextToken(pattern string) (layout, rest string) {
	for _, t := range tokens {
		if rest, ok := strings.CutPrefix(pattern, t.token); ok {
			return t.layout, rest
		}
	}
	return "", pattern
}
