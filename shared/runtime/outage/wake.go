package outage

import (
	"sync"
	"time"
)

// A paused database resumes within wakeTime, and pauses again after awakeTime without use at the
// earliest.
const (
	wakeTime  = 2 * time.Minute
	awakeTime = 5 * time.Minute
)

// Wakes distinguishes a paused database that resumes from one that is away for longer.
type Wakes struct {
	mu          sync.Mutex
	first, last time.Time // refusals since the database was last known to be awake
}

// Waking reports whether a refusal at a time is explained by a database that resumes.
func (w *Wakes) Waking(now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now.Sub(w.last) >= awakeTime {
		w.first = now
	}
	w.last = now
	return now.Sub(w.first) < wakeTime
}
