package wholefile

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/capture"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/problem"
)

// maxPlannedRows is how many rows of a file can be planned: they are rehearsed, and written
// later, in one transaction each, and what they are about is locked meanwhile.
const maxPlannedRows = 20_000

// writeCaptured writes the rows of a part and adds what they change to the job's change
// set. Those of a dry run and of a plan are taken back.
func (s *Step) writeCaptured(ctx context.Context, tx pgx.Tx, f *fileContents, part int, w *partWrite, b *entity.Batch) error {
	write := func(tx pgx.Tx) error { return s.writeRows(ctx, tx, f, w, b) }
	if f.job.DryRun || f.job.IsPlanning() {
		return capture.DryRun(ctx, tx, s.store, f.job, part, write)
	}
	return capture.Record(ctx, tx, s.store, f.job, part, write)
}

// setPartRows says how many rows a part has. A plan is rehearsed as one part: what a part
// writes builds on those before it, which would be taken back by then.
func (f *fileContents) setPartRows(partRows int) error {
	f.partRows = partRows
	if f.job.Plan != nil {
		if f.partRows = max(len(f.order), 1); len(f.order) > maxPlannedRows {
			return problem.New(problem.TooManyRows, "The file has %d rows to write. It is read as one, and of such files %d rows can be planned, or be held to guards, at most.", len(f.order), maxPlannedRows)
		}
	}
	f.totals.Chunks = (len(f.order) + f.partRows - 1) / f.partRows
	return nil
}

// entryLines is how many lines an entry of the ledger has. A plan has one entry: when it
// is applied, that is the chunk which is written.
func (f *fileContents) entryLines() int {
	if f.job.Plan != nil {
		return max(len(f.outcomes), 1)
	}
	return ledgerLines
}
