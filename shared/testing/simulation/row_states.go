package simulation

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/simulation/generate"
)

// loadRowStates loads the processing states of the rows: which chunks are committed, dead letters
// or only planned, and which rows are deferred.
func (p *importRun) loadRowStates(ctx context.Context, j *job.Job) (generate.RowStates, error) {
	deciders, happened, err := p.loadDeciders(ctx, j)
	if err != nil {
		return nil, err
	}
	rows, err := p.admin.Query(ctx, `SELECT chunk_index, first_row, coalesce(outcomes, '') FROM import_chunks WHERE job_id = $1`, j.Key)
	if err != nil {
		return nil, err
	}
	var chunk int
	var first int64
	var outcomes []byte
	_, err = pgx.ForEachRow(rows, []any{&chunk, &first, &outcomes}, func() error {
		for i, o := range outcomes {
			row := first + int64(i)
			decider, shared := deciders[row]
			if !shared {
				decider = chunk
			}
			happened[row] = p.rowState(j, rowwrite.Outcome(o), decider)
		}
		return nil
	})
	return func(row int64) generate.RowState {
		if how, ok := happened[row]; ok {
			return how
		}
		return generate.NotCommitted
	}, err
}

// rowState returns the state of a row with that outcome that the chunk decides.
func (p *importRun) rowState(j *job.Job, o rowwrite.Outcome, chunk int) generate.RowState {
	switch {
	case o.WhenWritten().Open():
		return generate.NotCommitted
	case p.isDeadLettered(chunk):
		return generate.DeadLettered
	case j.IsPlanning():
		return generate.PlannedOnly
	case o.Open():
		return generate.Approved
	case chunk == p.plan.poison && p.plan.poisonOnApply:
		return generate.DeadLetteredOnApply
	}
	return generate.Processed
}

// isDeadLettered reports whether a chunk becomes a dead letter when its rows are read.
func (p *importRun) isDeadLettered(chunk int) bool {
	return chunk == p.plan.poison && !p.plan.poisonOnApply && !p.script.WholeFile
}

// isPoisoned reports whether a chunk cannot be processed now.
func (p *importRun) isPoisoned(ctx context.Context, chunk int) bool {
	if chunk != p.plan.poison || !p.plan.poisonOnApply {
		return chunk == p.plan.poison
	}
	j, err := p.job(ctx)
	return err == nil && j.IsApplying()
}

// loadDeciders returns the chunks that decide rows with shared keys, by row, and the states of
// rows that do not follow from their own chunk.
func (p *importRun) loadDeciders(ctx context.Context, j *job.Job) (map[int64]int, map[int64]generate.RowState, error) {
	rows, err := p.admin.Query(ctx, `
		SELECT r.row_number, c.chunk_index, coalesce(r.outcome, 0)
		FROM import_repeated_rows AS r
		JOIN import_chunks AS c ON c.job_id = r.job_id AND r.first_row BETWEEN c.first_row AND c.first_row + c.line_count - 1
		WHERE r.job_id = $1`, j.Key)
	if err != nil {
		return nil, nil, err
	}
	deciders, happened := make(map[int64]int), make(map[int64]generate.RowState)
	var row int64
	var chunk, outcome int
	_, err = pgx.ForEachRow(rows, []any{&row, &chunk, &outcome}, func() error {
		deciders[row] = chunk
		if outcome != 0 && !rowwrite.Outcome(outcome).Open() && !p.isDeadLettered(chunk) {
			happened[row] = generate.DecidedElsewhere
		}
		return nil
	})
	return deciders, happened, err
}
