// Package schedule invokes functions at the times of EventBridge's schedule
// expressions, rate(…) and cron(…), in UTC.
//
// Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
package schedule

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Expression tells when a schedule is due.
type Expression interface {
	// Next is the first time after t; the zero time if there is none.
	Next(t time.Time) time.Time
}

// Parse reads "rate(5 minutes)" or "cron(0 2 * * ? *)".
func Parse(text string) (Expression, error) {
	inner, isRate := between(text, "rate(")
	if isRate {
		return parseRate(inner)
	}
	inner, isCron := between(text, "cron(")
	if isCron {
		return parseCron(inner)
	}
	return nil, fmt.Errorf("schedule %q: want rate(…) or cron(…)", text)
}

func between(text, begin string) (string, bool) {
	inner, ok := strings.CutPrefix(text, begin)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(inner, ")")
}

// rate is due every so often.
type rate time.Duration

// Next counts from t, as EventBridge counts from when the rule was made.
func (r rate) Next(t time.Time) time.Time { return t.Add(time.Duration(r)) }

var ratePattern = regexp.MustCompile(`^([1-9]\d{0,8}) (minute|hour|day)(s?)$`)

func parseRate(inner string) (Expression, error) {
	match := ratePattern.FindStringSubmatch(inner)
	if match == nil {
		return nil, fmt.Errorf("schedule rate(%s): want a number above 0 and minutes, hours or days", inner)
	}
	value, err := strconv.Atoi(match[1])
	if err != nil {
		return nil, fmt.Errorf("schedule rate(%s): %w", inner, err)
	}
	// EventBridge insists on this grammar.
	if (value == 1) == (match[3] == "s") {
		return nil, fmt.Errorf("schedule rate(%s): the unit is singular for 1 and plural for all else", inner)
	}
	unit := map[string]time.Duration{"minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour}[match[2]]
	return rate(time.Duration(value) * unit), nil
}
