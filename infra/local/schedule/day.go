package schedule

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// parseDay reads the two fields that choose days, of which one must be "?".
func parseDay(ofMonth, ofWeek string) (func(time.Time) bool, error) {
	switch {
	case (ofMonth == "?") == (ofWeek == "?"):
		return nil, errors.New("either the day of month or the day of week is ?")
	case ofWeek == "?":
		return parseDayOfMonth(ofMonth)
	}
	return parseDayOfWeek(ofWeek)
}

// parseDayOfMonth reads "L", the last day, "15W", the weekday next to the 15th, or a list of days.
func parseDayOfMonth(text string) (func(time.Time) bool, error) {
	f := field{name: "day of month", low: 1, high: 31}
	if text == "L" {
		return func(t time.Time) bool { return t.Day() == lastDay(t) }, nil
	}
	if before, ok := strings.CutSuffix(text, "W"); ok {
		day, err := f.value(before)
		if err != nil {
			return nil, fmt.Errorf("day of month %q: %w", text, err)
		}
		return func(t time.Time) bool { return t.Day() == nearestWeekday(t, day) }, nil
	}
	days, err := f.parse(text)
	if err != nil {
		return nil, err
	}
	return func(t time.Time) bool { return days.has(t.Day()) }, nil
}

// parseDayOfWeek reads "L", Saturday, "6L", the last Friday of the month,
// "3#2", the second Tuesday, or a list of days.
func parseDayOfWeek(text string) (func(time.Time) bool, error) {
	f := field{name: "day of week", low: 1, high: 7, names: dayNames()}
	if text == "L" {
		return func(t time.Time) bool { return t.Weekday() == time.Saturday }, nil
	}
	if before, ok := strings.CutSuffix(text, "L"); ok {
		day, err := f.value(before)
		if err != nil {
			return nil, fmt.Errorf("day of week %q: %w", text, err)
		}
		return func(t time.Time) bool { return weekday(t) == day && t.Day() > lastDay(t)-7 }, nil
	}
	if before, after, ok := strings.Cut(text, "#"); ok {
		day, err := f.value(before)
		if err != nil {
			return nil, fmt.Errorf("day of week %q: %w", text, err)
		}
		nth, err := (field{low: 1, high: 5}).value(after)
		if err != nil {
			return nil, fmt.Errorf("day of week %q: %w", text, err)
		}
		return func(t time.Time) bool { return weekday(t) == day && (t.Day()+6)/7 == nth }, nil
	}
	days, err := f.parse(text)
	if err != nil {
		return nil, err
	}
	return func(t time.Time) bool { return days.has(weekday(t)) }, nil
}

// weekday counts from Sunday, 1.
func weekday(t time.Time) int { return int(t.Weekday()) + 1 }

func lastDay(t time.Time) int {
	return time.Date(t.Year(), t.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// nearestWeekday is the day of t's month, from Monday to Friday, that is
// nearest to day without leaving the month; 0 if the month has no such day.
func nearestWeekday(t time.Time, day int) int {
	last := lastDay(t)
	if day > last {
		return 0
	}
	switch time.Date(t.Year(), t.Month(), day, 0, 0, 0, 0, time.UTC).Weekday() {
	case time.Saturday:
		if day == 1 {
			return 3
		}
		return day - 1
	case time.Sunday:
		if day == last {
			return day - 2
		}
		return day + 1
	}
	return day
}
