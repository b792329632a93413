package checker

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// jobRow contains the compared columns of import_jobs.
type jobRow struct {
	ID              job.Key
	OrganisationID  tenant.ID
	ImportType      string
	Mode            rowwrite.Mode
	Status          job.Status
	WholeFile       bool
	Plan            bool
	DryRun          bool // or a plan that has not been applied
	Ended           bool
	ObjectKey       string
	TotalRows       int64
	CreatedCount    int64
	UpdatedCount    int64
	UnchangedCount  int64
	SkippedCount    int64
	ErrorCount      int64
	DeferredCount   int64
	FileLines       int64
	BlankLines      int64
	HeaderLines     int64
	ChunkTotal      int
	ChunksDone      int
	SplitComplete   bool
	CallbackPending bool
	RetryOf         job.ID // "" for none
	Rerun           bool   // it retries rows of another job, and its ledger contains only their lines
	Limited         bool   // it may be stopped for too many errors, with a chunk that was checked but not written
	// Later reports whether the organisation has a later job of the type, which may have written the
	// same entities.
	Later bool
}

// readJob reads the job and checks its consistency.
func (c *check) readJob(ctx context.Context) error {
	rows, err := c.db.Query(ctx, `
		SELECT id, organisation_id, import_type, mode, status, whole_file, plan, dry_run OR plan AND applied_at IS NULL AS dry_run, completed_at IS NOT NULL AS ended, object_key,
			total_rows, created_count, updated_count, unchanged_count, skipped_count, error_count, deferred_count, file_lines, blank_lines, header_lines,
			chunk_total, chunks_done, split_complete, callback_pending, coalesce(retry_of::text, '') AS retry_of, rerun,
			max_errors IS NOT NULL AS limited,
			EXISTS (SELECT FROM import_jobs AS l WHERE l.organisation_id = j.organisation_id AND l.import_type = j.import_type AND l.id > j.id) AS later
		FROM import_jobs AS j
		WHERE uuid = $1`, c.want.JobID)
	if err != nil {
		return err
	}
	found, err := pgx.CollectRows(rows, pgx.RowToAddrOfStructByName[jobRow])
	if err != nil {
		return err
	}
	switch {
	case c.want.Purged && len(found) > 0:
		c.report("the job still exists with status %s", found[0].Status)
	case !c.want.Purged && len(found) == 0:
		c.report("job not found")
	case len(found) > 0:
		c.job = found[0]
		c.compareStatus()
	}
	return nil
}

// compareStatus compares the final status, and the counters of a completed job.
func (c *check) compareStatus() {
	j := c.job
	switch {
	case !j.Status.Terminal():
		c.report("the job is not finished: it is %s", j.Status)
	case c.want.Status != "" && j.Status != c.want.Status:
		c.report("the job ended as %s, not as %s", j.Status, c.want.Status)
	}
	if j.Ended != j.Status.Terminal() {
		c.report("the job is %s, but its completion time does not match", j.Status)
	}
	if j.Status != job.Completed {
		return
	}
	if !j.SplitComplete {
		c.report("the job is COMPLETED, but its file is not fully split")
	}
	if j.ChunksDone != j.ChunkTotal {
		c.report("%d of %d chunks are done", j.ChunksDone, j.ChunkTotal)
	}
	if j.DeferredCount != 0 {
		c.report("%d rows of a COMPLETED job are deferred", j.DeferredCount)
	}
	if sum := j.CreatedCount + j.UpdatedCount + j.UnchangedCount + j.SkippedCount + j.ErrorCount; sum != j.TotalRows {
		c.report("the counters add up to %d of %d rows", sum, j.TotalRows)
	}
	if sum := j.TotalRows + j.BlankLines + j.HeaderLines; sum != j.FileLines {
		c.report("rows, blank lines and header add up to %d of %d lines", sum, j.FileLines)
	}
}
