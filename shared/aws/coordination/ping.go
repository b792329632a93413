package coordination

import (
	"context"

	"github.com/loadbay/loadbay/shared/job"
)

// Ping returns why the table cannot be reached, or nil. It requests the id of a job that
// does not exist: any response proves that the table is reachable.
func (t *Table) Ping(ctx context.Context) error {
	_, err := t.Token(ctx, "ping", job.PhaseRows)
	return err
}
