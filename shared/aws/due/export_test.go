package due

import (
	"context"
	"time"
)

// NewAnnouncerWithClock is NewAnnouncer with a clock of its own.
func NewAnnouncerWithClock(raise func(context.Context) error, now func() time.Time) *Announcer {
	return &Announcer{raise: raise, now: now}
}
