package due

import (
	"context"
	"sync"
	"time"
)

// raiseInterval is how long an instance of a function relies on its last raise: shorter
// than the time between the first and the last of the checks that settle it.
const raiseInterval = 30 * time.Second

// Announcer raises the item for one instance of a function.
type Announcer struct {
	raise func(context.Context) error
	now   func() time.Time

	mu       sync.Mutex
	raisedAt time.Time
}

// NewAnnouncer returns an announcer that raises the item.
func NewAnnouncer(i *Item) *Announcer { return &Announcer{raise: i.Raise, now: time.Now} }

// Announce must be called right before a commit: it raises the item, unless this
// instance has just done so. If it fails, the transaction must not be committed, because
// nothing would look for its work until the nightly run.
func (a *Announcer) Announce(ctx context.Context) error {
	now := a.now().Round(0) // without the monotonic clock, which stops while Lambda freezes the instance
	if a.raisedRecently(now) {
		return nil
	}
	if err := a.raise(ctx); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.raisedAt = now
	return nil
}

// raisedRecently reports whether the last raise is recent. A raise in the future is not,
// because the clock was changed.
func (a *Announcer) raisedRecently(now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	age := now.Sub(a.raisedAt)
	return age >= 0 && age < raiseInterval
}
