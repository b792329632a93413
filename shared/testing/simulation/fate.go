package simulation

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/testing/simulation/generate"
)

// fate reads what happened to the rows before any was written: which chunks are
// committed, given up or only rehearsed, and which rows are deferred.
func (p *play) fate(ctx context.Context, j *job.Job) (generate.Fate, error) {
	deciders, happened, err := p.deciders(ctx, j)
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
			happened[row] = p.happened(j, job.Outcome(o), decider)
		}
		return nil
	})
	return func(row int64) generate.Happened {
		if how, ok := happened[row]; ok {
			return how
		}
		return generate.Left
	}, err
}

// happened is what happened to a row with that outcome, of which a chunk decides.
func (p *play) happened(j *job.Job, o job.Outcome, chunk int) generate.Happened {
	switch {
	case o.Written().Open():
		return generate.Left
	case p.givesUp(chunk):
		return generate.GivenUp
	case j.Rehearses():
		return generate.Rehearsed
	case o.Open():
		return generate.Planned
	case chunk == p.plan.poison && p.plan.late:
		return generate.Lost
	}
	return generate.Taken
}

// givesUp reports whether a chunk is given up when its rows are read.
func (p *play) givesUp(chunk int) bool {
	return chunk == p.plan.poison && !p.plan.late && !p.script.WholeFile
}

// poisoned reports whether a chunk cannot be processed now.
func (p *play) poisoned(ctx context.Context, chunk int) bool {
	if chunk != p.plan.poison || !p.plan.late {
		return chunk == p.plan.poison
	}
	j, err := p.job(ctx)
	return err == nil && j.Applies()
}

// deciders are the chunks that decide rows which share keys, by row, and what has happened
// to those of which their own chunk does not say it.
func (p *play) deciders(ctx context.Context, j *job.Job) (map[int64]int, map[int64]generate.Happened, error) {
	rows, err := p.admin.Query(ctx, `
		SELECT r.row_number, c.chunk_index, coalesce(r.outcome, 0)
		FROM import_repeated_rows AS r
		JOIN import_chunks AS c ON c.job_id = r.job_id AND r.first_row BETWEEN c.first_row AND c.first_row + c.line_count - 1
		WHERE r.job_id = $1`, j.Key)
	if err != nil {
		return nil, nil, err
	}
	deciders, happened := make(map[int64]int), make(map[int64]generate.Happened)
	var row int64
	var chunk, outcome int
	_, err = pgx.ForEachRow(rows, []any{&row, &chunk, &outcome}, func() error {
		deciders[row] = chunk
		if outcome != 0 && !job.Outcome(outcome).Open() && !p.givesUp(chunk) {
			happened[row] = generate.Elsewhere
		}
		return nil
	})
	return deciders, happened, err
}
