package stack

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// onStop makes Stop call closer before those that were registered earlier.
func (s *Stack) onStop(closer func(context.Context) error) { s.closers = append(s.closers, closer) }

// Stop stops all components in reverse start order. Running invocations get a few
// seconds; the next Start continues what they leave unfinished. A second call does
// nothing and returns the same error.
func (s *Stack) Stop(ctx context.Context) error {
	s.stopOnce.Do(func() {
		s.available.Store(false)
		graceful, cancel := context.WithTimeout(ctx, stopTimeout)
		defer cancel()
		var faults []error
		for _, closer := range slices.Backward(s.closers) {
			faults = append(faults, closer(graceful))
		}
		if err := errors.Join(faults...); err != nil {
			s.stopped = fmt.Errorf("stop the local stack: %w", err)
		}
	})
	return s.stopped
}
