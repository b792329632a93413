package stack

import (
	"context"
	"time"
)

// runStopTimeout is how long the stack of Run may take to stop.
const runStopTimeout = 20 * time.Second

// Run starts a stack, calls f, and stops the stack again whether or not f fails.
func Run(ctx context.Context, c Config, f func(*Stack) error) (err error) {
	s, err := Start(ctx, c)
	if err != nil {
		return err
	}
	defer func() {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), runStopTimeout)
		defer cancel()
		if stopErr := s.Stop(stop); err == nil {
			err = stopErr
		}
	}()
	return f(s)
}
