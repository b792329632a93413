package mapping

import (
	"regexp"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/mapping/content"
)

// fit returns how well sample values fit a target: 1 if all do, -1 if none does, else 0. Blank
// samples are ignored, as are kinds that accept anything.
func fit(t *target, samples []string) int {
	if t.fits == nil {
		return 0
	}
	given, fitting := 0, 0
	for _, s := range samples {
		s = strings.ToLower(strings.TrimSpace(s))
		if s == "" {
			continue
		}
		given++
		if t.fits(s) {
			fitting++
		}
	}
	switch {
	case given == 0:
		return 0
	case fitting == given:
		return 1
	case fitting == 0:
		return -1
	default:
		return 0
	}
}

// looksLike returns the test for values of the target, trimmed and in lower case.
func looksLike(t *Target) func(string) bool {
	switch t.Kind {
	case Email:
		return looksLikeEmail
	case UUID:
		return looksLikeUUID
	case Integer, Decimal:
		return looksLikeNumber
	case Boolean:
		return func(s string) bool { return booleans[s] }
	case Date, Timestamp:
		return looksLikeDate
	case Choice:
		if len(t.Values) > 0 {
			return func(s string) bool {
				return slices.ContainsFunc(t.Values, func(v string) bool { return strings.EqualFold(v, s) })
			}
		}
	}
	switch {
	case t.Pattern != "":
		return regexp.MustCompile(t.Pattern).MatchString
	case t.Content == content.Phone:
		return looksLikePhone
	}
	return nil
}

var booleans = setOf("true false t f yes no y n 1 0 on off ja nein oui non si")

func looksLikeEmail(s string) bool {
	local, domain, ok := strings.Cut(s, "@")
	return ok && local != "" && strings.Contains(domain, ".") && !strings.ContainsAny(s, " ,;")
}

// looksLikePhone accepts numbers as people write them, including extensions.
func looksLikePhone(s string) bool {
	number, _, _ := strings.Cut(s, "ext")
	return len(s) >= 5 && strings.ContainsAny(s, "0123456789") && strings.Trim(number, "+0123456789 ()/.-\u00a0") == ""
}

func looksLikeUUID(s string) bool {
	s = strings.Trim(s, "{}")
	return strings.Count(s, "-") == 4 && len(s) == 36 && strings.Trim(s, "0123456789abcdef-") == ""
}

func looksLikeNumber(s string) bool {
	return strings.ContainsAny(s, "0123456789") && strings.Trim(s, "0123456789.,' -+%") == ""
}

// looksLikeDate accepts two or three groups of digits or a month's name between
// separators; a time of day may follow.
func looksLikeDate(s string) bool {
	groups, digits := 1, 0
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case strings.ContainsRune("-/. :", r):
			groups++
		case r >= 'a' && r <= 'z', r == '+', r == ',':
		default:
			return false
		}
	}
	return groups >= 3 && digits >= 3 && len(s) <= 35
}
