package stack

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/loadbay/loadbay/shared/testing/pglaunch"
)

// maxRestarts is how often a server that ends unexpectedly is restarted.
const maxRestarts = 10

// Postgres returns the database server of the stack.
func (s *Stack) Postgres() *pglaunch.Server { return s.database.server }

// watchDatabase restarts the server at the same address when it ends unexpectedly, as RDS
// would.
func (s *Stack) watchDatabase() {
	ctx, stop := context.WithCancel(context.Background())
	var watcher sync.WaitGroup
	watcher.Go(func() {
		for range maxRestarts {
			ended := s.database.server.Done()
			select {
			case <-ctx.Done():
				return
			case <-ended:
			}
			s.config.Logger.Error("PostgreSQL ended; restarting")
			if err := s.database.server.Restart(ctx); err != nil {
				if ctx.Err() == nil {
					s.failed <- fmt.Errorf("restart PostgreSQL: %w", err)
				}
				return
			}
		}
		s.failed <- errors.New("PostgreSQL ends repeatedly")
	})
	s.onStop(func(context.Context) error {
		stop()
		watcher.Wait()
		return nil
	})
}
