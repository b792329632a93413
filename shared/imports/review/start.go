package review

import (
	"context"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// Start processes the rows without asking about values: those that stand for
// nothing make their rows an ERROR. Columns are confirmed as they stand.
func (s *Service) Start(ctx context.Context, ref job.Ref) (*job.Job, error) {
	skip := job.Transition{To: job.Processing, SkipCells: true}
	j, err := s.leaveColumns(ctx, ref, skip)
	if problem.CodeOf(err) != problem.StateConflict {
		return j, err
	}
	// It asks for values, or for nothing at all.
	return s.leaveCells(ctx, ref, skip, func(*job.Job, []job.OpenCells) error { return nil })
}
