package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// JobStatus is Job in its own transaction with a single round trip: a pipeline is one implicit
// transaction with the organisation set by its first statement. Callers poll it.
func (db *DB) JobStatus(ctx context.Context, organisation tenant.ID, id job.ID) (*job.Job, error) {
	notFound := problem.New(problem.NotFound, "No import with this ID exists.")
	if id == "" {
		return nil, notFound
	}
	batch := &pgx.Batch{}
	batch.Queue(`SELECT set_config('app.organisation', $1, true)`, organisation.String())
	batch.Queue(`SELECT `+jobColumns+` FROM import_jobs WHERE uuid = $1`, id)
	j, err := readJob(db.pool.SendBatch(ctx, batch))
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, notFound
	}
	if err != nil {
		return nil, fmt.Errorf("load status of job %s: %w", id, err)
	}
	return j, nil
}

// readJob reads the result of a pipeline's second statement.
func readJob(results pgx.BatchResults) (j *job.Job, err error) {
	defer func() { err = errors.Join(err, results.Close()) }()
	if _, err := results.Exec(); err != nil {
		return nil, err
	}
	rows, err := results.Query()
	if err != nil {
		return nil, err
	}
	row, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByName[jobRow])
	if err != nil {
		return nil, err
	}
	return row.job(), nil
}
