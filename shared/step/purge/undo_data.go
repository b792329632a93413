package purge

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
)

// purgeFiles deletes the files of jobs that are kept longer than files because they can be
// undone; undo needs no file.
func (r *run) purgeFiles(ctx context.Context) {
	r.eachPage(ctx, func(tx pgx.Tx, after job.Key) ([]*job.Job, error) {
		return r.store.JobsWithExpiredFiles(ctx, tx, r.retention, after, r.config.Jobs)
	}, func(ctx context.Context, jobs []*job.Job) {
		jobs = r.deleteTokens(ctx, r.filter(ctx, jobs, r.deleteObjects))
		r.filter(ctx, jobs, func(ctx context.Context, j *job.Job) error {
			return r.bounded(ctx, func(tx pgx.Tx) error { return r.store.MarkFilesPurged(ctx, tx, j.Key) })
		})
	})
}

// purgeChanges deletes the change sets of jobs that can no longer be undone but are kept longer.
func (r *run) purgeChanges(ctx context.Context) {
	r.eachPage(ctx, func(tx pgx.Tx, after job.Key) ([]*job.Job, error) {
		return r.store.JobsWithExpiredChanges(ctx, tx, after, r.config.Jobs)
	}, func(ctx context.Context, jobs []*job.Job) {
		r.filter(ctx, jobs, func(ctx context.Context, j *job.Job) error { return r.deleteRows(ctx, j, r.store.DeleteChanges) })
	})
}
