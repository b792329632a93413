package review

import (
	"context"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// StartProcessing processes the rows without asking about values: rows with unresolved values
// become ERROR. Columns are confirmed in their current state.
func (s *Service) StartProcessing(ctx context.Context, ref job.Ref, by string) (*job.Job, error) {
	skip := job.Transition{To: job.Processing, CellsSkipped: true}
	j, err := s.finishColumns(ctx, ref, by, skip)
	if problem.CodeOf(err) != problem.StateConflict {
		return j, err
	}
	// The import waits for decisions about values, or for none.
	return s.finishCells(ctx, ref, by, skip, func(*job.Job, []job.UnresolvedCells) error { return nil })
}
