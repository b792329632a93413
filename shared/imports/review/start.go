package review

import (
	"context"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// StartProcessing processes the rows without asking about values: those that stand for
// nothing make their rows an ERROR. Columns are confirmed as they stand.
func (s *Service) StartProcessing(ctx context.Context, ref job.Ref) (*job.Job, error) {
	skip := job.Transition{To: job.Processing, CellsSkipped: true}
	j, err := s.finishColumns(ctx, ref, skip)
	if problem.CodeOf(err) != problem.StateConflict {
		return j, err
	}
	// It asks for values, or for nothing at all.
	return s.finishCells(ctx, ref, skip, func(*job.Job, []job.UnresolvedCells) error { return nil })
}
