package postgres

import (
	"context"
	"math/rand/v2"
	"time"
)

// backoff waits before the next attempt, with full jitter so that two colliding transactions
// do not collide again. It returns false if ctx ends first.
func backoff(ctx context.Context, attempt int) bool {
	t := time.NewTimer(time.Duration(rand.Int64N(int64(20*time.Millisecond) << attempt)))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
