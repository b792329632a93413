package quota

import (
	"context"
	"sync"
	"time"

	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Granter gives out an organisation's requests of the current minute, in portions:
// a request costs no round trip to the database, a portion does.
type Granter interface {
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
	windows      Granter
	defaultLimit int64
	now          func() time.Time

	mu      sync.Mutex
	current map[tenant.ID]*window
}

// window is what is left of an organisation's last portion.
type window struct {
	left      int64
	limit     int64
	exhausted bool // up: there is no other portion in this minute
	ends      time.Time
}

// NewMeter returns a meter for organisations without a quota of their own, which may
// make that many requests a minute.
func NewMeter(windows Granter, most int64) *Meter {
	return &Meter{windows: windows, defaultLimit: most, now: time.Now, current: make(map[tenant.ID]*window)}
}

// Allow counts a request; its refusal, QUOTA_REQUESTS, says when the minute ends.
func (m *Meter) Allow(ctx context.Context, organisation tenant.ID) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := m.current[organisation]
	if w == nil || !m.now().Before(w.ends) || w.left == 0 && !w.exhausted {
		grant, err := m.windows.GrantRequests(ctx, organisation, m.defaultLimit)
		if err != nil {
			return err
		}
		w = &window{left: grant.Requests, limit: grant.Limit, exhausted: grant.Requests == 0, ends: m.now().Add(grant.Ends)}
		m.dropExpired()
		m.current[organisation] = w
	}
	if w.left == 0 {
		return Usage{Limit: w.limit, Used: w.limit}.refuse(RequestsPerMinute, 1, w.ends.Sub(m.now()))
	}
	w.left--
	return nil
}

// maxWindows is how many organisations are remembered before those whose minute is over
// are forgotten.
const maxWindows = 1000

func (m *Meter) dropExpired() {
	if len(m.current) < maxWindows {
		return
	}
	for organisation, w := range m.current {
		if !m.now().Before(w.ends) {
			delete(m.current, organisation)
		}
	}
}
