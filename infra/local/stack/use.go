package stack

import (
	"context"
	"time"
)

// stopping is how long the stack of Use may take to stop.
const stopping = 20 * time.Second

// Use starts a stack, calls f, and stops the stack again, whatever became of f.
func Use(ctx context.Context, c Config, f func(*Stack) error) (err error) {
	s, err := Start(ctx, c)
	if err != nil {
		return err
	}
	defer func() {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopping)
		defer cancel()
		if stopErr := s.Stop(stop); err == nil {
			err = stopErr
		}
	}()
	return f(s)
}
