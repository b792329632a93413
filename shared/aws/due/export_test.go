package due

import (
	"context"
	"time"
)

// NewAnnouncerWithClock is NewAnnouncer with another clock.
func NewAnnouncerWithClock(raise func(context.Context) error, now func() time.Time) *Announcer {
	return &Announcer{raise: raise, now: now}
}
