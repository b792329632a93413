package sfn

import (
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/interp"
)

const (
	purgeInterval  = 24 * time.Hour
	purgeBatchSize = 100 // executions per transaction
)

// purgeDaily deletes, once a day, executions that closed at least 90 days ago.
func (s *Service) purgeDaily() {
	ticker := time.NewTicker(purgeInterval)
	defer ticker.Stop()
	for {
		for more := true; more && s.ctx.Err() == nil; {
			var err error
			if more, err = s.purgeBatch(time.Now()); err != nil {
				s.log.Error("retire executions", "error", err)
				break
			}
		}
		select {
		case <-s.ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// purgeBatch deletes one batch and reports whether there may be more.
func (s *Service) purgeBatch(now time.Time) (bool, error) {
	var old []string
	err := s.db.View(func(tx *bbolt.Tx) error {
		var err error
		old, err = openStore(tx).stoppedBefore(now.Add(-retention), purgeBatchSize)
		return err
	})
	if err != nil || len(old) == 0 {
		return false, err
	}
	err = s.db.Update(func(tx *bbolt.Tx) error {
		l := openStore(tx)
		for _, key := range old {
			x, err := l.execution(key)
			if err != nil {
				return err
			}
			if x != nil && timeoutExpired(x, now) {
				if err := l.deleteExecution(x); err != nil {
					return fmt.Errorf("forget execution %s: %w", key, err)
				}
			}
		}
		return nil
	})
	return len(old) == purgeBatchSize, err
}

// stoppedBefore returns the keys of up to most executions that closed before limit.
func (l store) stoppedBefore(limit time.Time, most int) ([]string, error) {
	return l.findExecutions(most, func(entry listing) bool {
		return entry.Status != interp.Running && entry.Stopped.Before(limit)
	})
}
