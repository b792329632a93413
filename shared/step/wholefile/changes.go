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
		return capture.DryRun(ctx, tx, s.store, f.job, part, write)
	}
	return capture.Record(ctx, tx, s.store, f.job, part, write)
}

// setPartRows sets the number of rows of a part. A plan is created as one part, because a part
// builds on the writes of the previous ones, which would be rolled back by then.
func (f *fileContents) setPartRows(partRows int) error {
	f.partRows = partRows
	if f.job.Plan != nil {
		if f.partRows = max(len(f.order), 1); len(f.order) > maxPlannedRows {
			return problem.New(problem.TooManyRows, "The file has %d rows to write. Files of this type can have at most %d rows in a plan or with guards.", len(f.order), maxPlannedRows)
		}
	}
	f.totals.Chunks = (len(f.order) + f.partRows - 1) / f.partRows
	return nil
}

// entryLines returns the number of lines of a ledger entry. A plan has one entry, which is the
// chunk that is written when the plan is applied.
func (f *fileContents) entryLines() int {
	if f.job.Plan != nil {
		return max(len(f.outcomes), 1)
	}
	return ledgerLines
}
