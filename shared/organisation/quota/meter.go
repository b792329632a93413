package quota

import (
	"context"
	"sync"
	"time"

	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Windows gives out an organisation's requests of the current minute, in portions:
// a request costs no round trip to the database, a portion does.
type Windows interface {
	GrantRequests(ctx context.Context, organisation tenant.ID, most int64) (Grant, error)
}

// Grant is a portion of a minute's requests. 0: the minute has no more.
type Grant struct {
	Requests int64
	Limit    int64         // of the whole minute
	Ends     time.Duration // until the minute does
}

// Meter counts requests. What one instance has been given and does not use is
// nobody's: an organisation never has more than its quota, and sometimes less.
type Meter struct {
	windows Windows
	most    int64
	now     func() time.Time

	mu   sync.Mutex
	open map[tenant.ID]*window
}

// window is what is left of an organisation's last portion.
type window struct {
	left  int64
	limit int64
	used  bool // up: there is no other portion in this minute
	ends  time.Time
}

// NewMeter returns a meter for organisations without a quota of their own, which may
// make that many requests a minute.
func NewMeter(windows Windows, most int64) *Meter {
	return &Meter{windows: windows, most: most, now: time.Now, open: make(map[tenant.ID]*window)}
}

// Take counts a request; its refusal, QUOTA_REQUESTS, says when the minute ends.
func (m *Meter) Take(ctx context.Context, organisation tenant.ID) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := m.open[organisation]
	if w == nil || !m.now().Before(w.ends) || w.left == 0 && !w.used {
		grant, err := m.windows.GrantRequests(ctx, organisation, m.most)
		if err != nil {
			return err
		}
		w = &window{left: grant.Requests, limit: grant.Limit, used: grant.Requests == 0, ends: m.now().Add(grant.Ends)}
		m.forget()
		m.open[organisation] = w
	}
	if w.left == 0 {
		return Use{Limit: w.limit, Used: w.limit}.refuse(RequestsPerMinute, 1, w.ends.Sub(m.now()))
	}
	w.left--
	return nil
}

// maxOpen is how many organisations are remembered before those whose minute is over
// are forgotten.
const maxOpen = 1000

func (m *Meter) forget() {
	if len(m.open) < maxOpen {
		return
	}
	for organisation, w := range m.open {
		if !m.now().Before(w.ends) {
			delete(m.open, organisation)
		}
	}
}
