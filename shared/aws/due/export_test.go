package due

import (
	"context"
	"time"
)

// NewTestAnnouncer is NewAnnouncer with a clock of its own.
func NewTestAnnouncer(raise func(context.Context) error, now func() time.Time) *Announcer {
	return &Announcer{raise: raise, now: now}
}
