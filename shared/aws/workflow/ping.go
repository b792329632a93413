package workflow

import "context"

// Ping returns why the state machine cannot be reached, or nil. No execution has
// the name that is asked for: that the response says so is what counts.
func (w *Workflow) Ping(ctx context.Context) error {
	_, err := w.Status(ctx, "ping")
	return err
}
