package coordination

import (
	"context"

	"github.com/loadbay/loadbay/shared/job"
)

// Ping returns why the table cannot be reached, or nil. No job has the id that is
// asked for: that the response says so is what counts.
func (t *Table) Ping(ctx context.Context) error {
	_, err := t.Token(ctx, "ping", job.PhaseRows)
	return err
}
