package schedule

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// The years that EventBridge knows.
const (
	firstYear = 1970
	lastYear  = 2199
)

// cron is due at the minutes that all of its fields allow.
type cron struct {
	minutes, hours, months, years set
	day                           func(time.Time) bool
}

// names of months and days may stand for their numbers; Sunday is 1.
func monthNames() []string {
	return []string{"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"}
}
func dayNames() []string { return []string{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"} }

func parseCron(inner string) (Expression, error) {
	fields := strings.Fields(inner)
	if len(fields) != 6 {
		return nil, fmt.Errorf("schedule cron(%s): want six fields: minutes, hours, day of month, month, day of week, year", inner)
	}
	var c cron
	var faults []error
	parse := func(into *set, text string, f field) {
		var err error
		if *into, err = f.parse(text); err != nil {
			faults = append(faults, err)
		}
	}
	parse(&c.minutes, fields[0], field{name: "minutes", low: 0, high: 59})
	parse(&c.hours, fields[1], field{name: "hours", low: 0, high: 23})
	parse(&c.months, fields[3], field{name: "month", low: 1, high: 12, names: monthNames()})
	parse(&c.years, fields[5], field{name: "year", low: firstYear, high: lastYear})
	var err error
	if c.day, err = parseDay(fields[2], fields[4]); err != nil {
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("schedule cron(%s): %w", inner, err)
	}
	return c, nil
}

// Next goes through the days, and through the minutes of one that fits.
func (c cron) Next(t time.Time) time.Time {
	t = t.UTC().Truncate(time.Minute).Add(time.Minute)
	for t.Year() <= lastYear {
		if !c.onDay(t) {
			t = time.Date(t.Year(), t.Month(), t.Day()+1, 0, 0, 0, 0, time.UTC)
			continue
		}
		for today := t.Day(); t.Day() == today; t = t.Add(time.Minute) {
			if c.hours.has(t.Hour()) && c.minutes.has(t.Minute()) {
				return t
			}
		}
	}
	return time.Time{}
}

func (c cron) onDay(t time.Time) bool {
	return c.years.has(t.Year()) && c.months.has(int(t.Month())) && c.day(t)
}
