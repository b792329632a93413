package postgres

import (
	"context"
	"fmt"
	"time"
)

// unlockTimeout is how long giving a lock back may take.
const unlockTimeout = 5 * time.Second

// WithTryLock does something that must not be done twice at the same time, unless somebody else
// is doing it: then alone is false and nothing was done. The lock is that of a connection,
// which is held meanwhile and ends with its process; it is not for connections that are
// pooled on the way.
func (db *DB) WithTryLock(ctx context.Context, name string, do func(context.Context) error) (alone bool, err error) {
	c, err := db.pool.Acquire(ctx)
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", name, err)
	}
	defer c.Release()
	if err := c.QueryRow(ctx, `SELECT pg_try_advisory_lock(hashtextextended('loadbay ' || $1, 0))`, name).Scan(&alone); err != nil || !alone {
		if err != nil {
			err = fmt.Errorf("lock %s: %w", name, err)
		}
		return false, err
	}
	defer func() {
		// The context may be over, and the lock must not outlast this. A connection that
		// cannot say so is closed.
		after, cancel := context.WithTimeout(context.WithoutCancel(ctx), unlockTimeout)
		defer cancel()
		if _, fault := c.Exec(after, `SELECT pg_advisory_unlock(hashtextextended('loadbay ' || $1, 0))`, name); fault != nil {
			_ = c.Conn().Close(after)
		}
	}()
	return true, do(ctx)
}
