package quota

import (
	"context"
	"sync"
	"time"

	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Granter grants an organisation's requests of the current minute in portions, so that only a
// portion, and not every request, needs a round trip to the database.
type Granter interface {
	GrantRequests(ctx context.Context, organisation tenant.ID, most int64) (Grant, error)
}

// Grant is a portion of a minute's requests. 0: none are left in this minute.
type Grant struct {
	Requests int64
	Limit    int64         // of the whole minute
	Ends     time.Duration // time until the end of the minute
}

// Meter counts requests. Requests granted to an instance that it does not use are lost: an
// organisation never exceeds its quota, and sometimes gets less.
type Meter struct {
	windows      Granter
	defaultLimit int64
	now          func() time.Time

	mu      sync.Mutex
	current map[tenant.ID]*window
}

// window is the rest of an organisation's last portion.
type window struct {
	left      int64
	limit     int64
	exhausted bool // no further portion is available in this minute
	ends      time.Time
}

// NewMeter returns a meter. most is the number of requests a minute of organisations without
// a quota of their own.
func NewMeter(windows Granter, most int64) *Meter {
	return &Meter{windows: windows, defaultLimit: most, now: time.Now, current: make(map[tenant.ID]*window)}
}

// Rate is what is left of a minute's requests.
type Rate struct {
	Limit int64
	Left  int64 // at least: the organisation may get further portions
	Ends  time.Duration
}

// Count counts a request. Its error, QUOTA_REQUESTS, contains the time until the minute ends.
func (m *Meter) Count(ctx context.Context, organisation tenant.ID) (Rate, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := m.current[organisation]
	if w == nil || !m.now().Before(w.ends) || w.left == 0 && !w.exhausted {
		grant, err := m.windows.GrantRequests(ctx, organisation, m.defaultLimit)
		if err != nil {
			return Rate{}, err
		}
		w = &window{left: grant.Requests, limit: grant.Limit, exhausted: grant.Requests == 0, ends: m.now().Add(grant.Ends)}
		m.dropExpired()
		m.current[organisation] = w
	}
	if w.left == 0 {
		return w.rate(m.now()), Usage{Limit: w.limit, Used: w.limit}.refuse(RequestsPerMinute, 1, w.ends.Sub(m.now()))
	}
	w.left--
	return w.rate(m.now()), nil
}

func (w *window) rate(now time.Time) Rate {
	return Rate{Limit: w.limit, Left: w.left, Ends: w.ends.Sub(now)}
}

// maxWindows is the number of organisations above which expired windows are removed.
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
