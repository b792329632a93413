package schedule

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/adhocore/gronx"
)

// nextTime returns the next time after t.
type nextTime func(t time.Time) (time.Time, error)

// EventBridge requires the singular for 1 and the plural for all other values.
var ratePattern = regexp.MustCompile(`^rate\((?:1 (minute|hour|day)|([2-9]|[1-9]\d{1,5}) (minute|hour|day)s)\)$`)

// cronPattern matches what EventBridge and gronx interpret in the same way: every year, and
// weekdays by name, because EventBridge counts them from 1.
var cronPattern = regexp.MustCompile(`^cron\(([\d*/-]+ [\d*/-]+ (?:[\d*/-]+ [\d*/-]+ \?|\? [\d*/-]+ (?:SUN|MON|TUE|WED|THU|FRI|SAT|-)+)) \*\)$`)

// parseExpression parses an expression; atOnce means that it is also due immediately.
func parseExpression(text string) (next nextTime, atOnce bool, err error) {
	if match := ratePattern.FindStringSubmatch(text); match != nil {
		return everyInterval(match[1]+match[3], match[2]), true, nil
	}
	match := cronPattern.FindStringSubmatch(text)
	if match == nil || !gronx.IsValid(match[1]) {
		return nil, false, fmt.Errorf("schedule %q: want rate(5 minutes) or cron(0 2 * * ? *), numbers in range, no lists, weekdays by name, each year", text)
	}
	next = func(t time.Time) (time.Time, error) { return gronx.NextTickAfter(match[1], t.UTC(), false) }
	if _, err := next(time.Now()); err != nil { // for example on 30 February
		return nil, false, fmt.Errorf("schedule %q is never due: %w", text, err)
	}
	return next, false, nil
}

// everyInterval counts from t, as EventBridge counts from the creation of the rule.
func everyInterval(unit, count string) nextTime {
	interval := map[string]time.Duration{"minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour}[unit]
	if n, err := strconv.Atoi(count); err == nil { // "" means one
		interval *= time.Duration(n)
	}
	return func(t time.Time) (time.Time, error) { return t.Add(interval), nil }
}
