package postgres

import (
	"context"
	"fmt"
	"time"
)

// unlockTimeout limits how long releasing a lock may take.
const unlockTimeout = 5 * time.Second

// WithTryLock calls do while holding the named lock. If another process holds the lock, alone
// is false and do is not called. The lock belongs to a connection, which stays open meanwhile and
// ends with its process. It does not work through a connection pooler.
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
		// The context may be done, and the lock must be released all the same. A connection that
		// fails to release it is closed.
		after, cancel := context.WithTimeout(context.WithoutCancel(ctx), unlockTimeout)
		defer cancel()
		if _, fault := c.Exec(after, `SELECT pg_advisory_unlock(hashtextextended('loadbay ' || $1, 0))`, name); fault != nil {
			_ = c.Conn().Close(after)
		}
	}()
	return true, do(ctx)
}
