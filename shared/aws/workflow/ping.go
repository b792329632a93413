package workflow

import "context"

// Ping returns nil if the state machine can be reached. It describes an execution that does
// not exist, and expects the error that reports this.
func (w *Workflow) Ping(ctx context.Context) error {
	_, err := w.Status(ctx, "ping")
	return err
}
