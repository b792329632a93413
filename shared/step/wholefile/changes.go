package wholefile

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/capture"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/problem"
)

// maxPlannedRows is the maximum number of rows of a file that can be planned: they are planned in
// one transaction and applied in another, and their entities are locked for that time.
const maxPlannedRows = 20_000

// writeCaptured writes the rows of a part and adds their changes to the job's change set. The
// writes of a dry run or a plan are rolled back.
func (s *Step) writeCaptured(ctx context.Context, tx pgx.Tx, f *fileContents, part int, w *partWrite, b *entity.Batch) error {
	write := func(tx pgx.Tx) error { return s.writeRows(ctx, tx, f, w, b) }
	if f.job.DryRun || f.job.IsPlanning() {
		return capture.DryRun(ctx, tx, s.store, f.job, part, write, w.reported.Check(b.Declaration))
	}
	return capture.Record(ctx, tx, s.store, f.job, part, write, w.reported.Check(b.Declaration))
}

// divide sets where the parts end. A plan is created as one part, because a part builds on the
// writes of the previous ones, which would be rolled back by then.
func (f *fileContents) divide(partRows int) error {
	divider, ok := f.pass.(entity.PartDivider)
	switch {
	case f.job.Plan != nil && len(f.order) > maxPlannedRows:
		return problem.New(problem.TooManyRows, "The file has %d rows to write. Files of this type can have at most %d rows in a plan or with guards.", len(f.order), maxPlannedRows)
	case f.job.Plan != nil:
		f.partEnds = evenParts(len(f.order), maxPlannedRows)
	case ok:
		f.partEnds = divider.PartEnds(partRows)
	default:
		f.partEnds = evenParts(len(f.order), partRows)
	}
	if p := f.job.Progress; f.job.Plan == nil && p.SplitComplete && p.ChunkTotal != len(f.partEnds) {
		f.partEnds = evenParts(len(f.order), partRows) // begun by a version that did not ask the type
	}
	f.totals.Chunks = len(f.partEnds)
	return nil
}

// evenParts divides rows into parts of the same size, except for the last one.
func evenParts(rows, size int) (ends []int) {
	for end := size; end < rows; end += size {
		ends = append(ends, end)
	}
	if rows > 0 {
		ends = append(ends, rows)
	}
	return ends
}

// partOrder returns the rows of a part.
func (f *fileContents) partOrder(part int) []int {
	first := 0
	if part > 0 {
		first = f.partEnds[part-1]
	}
	return f.order[first:f.partEnds[part]]
}

// entryLines returns the number of lines of a ledger entry. A plan has one entry, which is the
// chunk that is written when the plan is applied.
func (f *fileContents) entryLines() int {
	if f.job.Plan != nil {
		return max(len(f.outcomes), 1)
	}
	return ledgerLines
}
