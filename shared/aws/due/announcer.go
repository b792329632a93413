package due

import (
	"context"
	"sync"
	"time"
)

// raiseInterval is how long a raise holds for the instance of a function that made it: less
// than what passes between the first and the last of the looks that settle it.
const raiseInterval = 30 * time.Second

// Announcer raises the item for one instance of a function.
type Announcer struct {
	raise func(context.Context) error
	now   func() time.Time

	mu       sync.Mutex
	raisedAt time.Time
}

// NewAnnouncer returns what raises the item.
func NewAnnouncer(i *Item) *Announcer { return &Announcer{raise: i.Raise, now: time.Now} }

// Announce is to be called right before a commit: it raises the item, unless this
// instance has just done so. What cannot be announced must not be committed, as nobody
// would look for it until the night.
func (a *Announcer) Announce(ctx context.Context) error {
	now := a.now().Round(0) // without its monotonic part, which stands still while Lambda freezes the instance
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

// raisedRecently reports whether the last raise is recent. One in the future is not: the clock has been set.
func (a *Announcer) raisedRecently(now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	age := now.Sub(a.raisedAt)
	return age >= 0 && age < raiseInterval
}
