package stack

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/loadbay/loadbay/shared/testing/pglaunch"
)

// maxRestarts is how often a server that ends by itself is started again.
const maxRestarts = 10

// Postgres is the server that the stack uses.
func (s *Stack) Postgres() *pglaunch.Server { return s.database.server }

// watchDatabase starts the server again, at the same address, when it ends by
// itself, as RDS would.
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
			s.config.Logger.Error("PostgreSQL has ended; starting it again")
			if err := s.database.server.Restart(ctx); err != nil {
				if ctx.Err() == nil {
					s.failed <- fmt.Errorf("start PostgreSQL again: %w", err)
				}
				return
			}
		}
		s.failed <- errors.New("PostgreSQL ends again and again")
	})
	s.onStop(func(context.Context) error {
		stop()
		watcher.Wait()
		return nil
	})
}
