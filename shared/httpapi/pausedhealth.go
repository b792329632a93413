package httpapi

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// HealthMemory stores the last successful check of a dependency, for all instances of the API.
type HealthMemory interface {
	LastHealthy(ctx context.Context, part string) (time.Time, error)
	SaveHealthy(ctx context.Context, part string, at time.Time) error
	ForgetHealthy(ctx context.Context, part string) error
}

// PausedCheck limits the checks of a dependency that pauses without use. GET /health needs no
// token, so its callers must not keep the dependency awake.
type PausedCheck struct {
	// LastUsed returns when this instance has last used the dependency for anything else.
	LastUsed func() time.Time
	Memory   HealthMemory

	mu      sync.Mutex
	healthy time.Time // the last successful check that this instance knows of
}

const (
	// pausedInterval is the time between successful checks of an unused dependency: longer than the
	// five minutes after which it pauses.
	pausedInterval = 15 * time.Minute
	// inUse is how long after its last use a dependency is checked at any time: a check does not keep
	// it awake for much longer than that use does.
	inUse = time.Minute
)

// check returns the time of the last successful check, or checks again if that is due.
func (p *PausedCheck) check(ctx context.Context, c HealthCheck, log *slog.Logger) (time.Time, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := wallClock()
	if !within(now, p.LastUsed(), inUse) {
		if at := p.lastHealthy(ctx, c.Name, now, log); within(now, at, pausedInterval) {
			return at, nil
		}
	}
	err := c.Ping(ctx)
	if err != nil {
		now = time.Time{}
	}
	p.remember(ctx, c.Name, now, log)
	return now, err
}

// lastHealthy returns the last successful check that any instance has made.
func (p *PausedCheck) lastHealthy(ctx context.Context, part string, now time.Time, log *slog.Logger) time.Time {
	if !within(now, p.healthy, pausedInterval) {
		at, err := p.Memory.LastHealthy(ctx, part)
		if err != nil {
			log.WarnContext(ctx, "the last health check is unknown", "part", part, "error", err)
		}
		p.healthy = at.UTC()
	}
	return p.healthy
}

// remember saves the time of a successful check, unless that of a recent one is saved; zero stands
// for a failure.
func (p *PausedCheck) remember(ctx context.Context, part string, at time.Time, log *slog.Logger) {
	if within(at, p.healthy, inUse) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkTimeout) // the check may have used up its time
	defer cancel()
	save := func() error { return p.Memory.SaveHealthy(ctx, part, at) }
	if at.IsZero() {
		save = func() error { return p.Memory.ForgetHealthy(ctx, part) }
	}
	if err := save(); err != nil {
		log.WarnContext(ctx, "the health check is not saved", "part", part, "error", err)
	}
	p.healthy = at
}

// within reports whether at is at most limit before now. A time in the future is not, because a
// clock was changed.
func within(now, at time.Time, limit time.Duration) bool {
	age := now.Sub(at)
	return age >= 0 && age < limit
}
