package httpapi

import (
	"time"

	"github.com/loadbay/loadbay/shared/postgres"
)

// period reads two parameters that limit a time: from is inclusive, to is exclusive. A date means
// its whole day in UTC, so that a date in to includes its day.
func (v *values) period(from, to string) postgres.Period {
	var p postgres.Period
	p.From, _ = v.timestamp(from)
	end, day := v.timestamp(to)
	if p.Before = end; day {
		p.Before = end.AddDate(0, 0, 1)
	}
	if !p.From.IsZero() && !p.Before.IsZero() && !p.From.Before(p.Before) {
		v.addError(to, "After "+from+".")
	}
	return p
}

// timestamp reads a date or a time; zero if it is absent.
func (v *values) timestamp(name string) (at time.Time, day bool) {
	text := v.text(name)
	if text == "" {
		return at, false
	}
	if at, err := time.Parse(time.DateOnly, text); err == nil && !at.IsZero() {
		return at, true
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || at.IsZero() {
		v.addError(name, "A date or a time, such as 2026-05-31 or 2026-05-31T14:30:00Z.")
	}
	return at, false
}
