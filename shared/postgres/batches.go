package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// maxBatchesPerDay is the number of four-digit batch numbers.
const maxBatchesPerDay = 9999

// AssignBatchNumber assigns a job the day's next number, once. The counter's row stays
// locked until the transaction ends, so that numbers have no gaps: the number of a failed
// transaction is used by the next one. With oncePerFile, a file that another such batch
// contains is FILE_REPEATED, unless that batch has released it: it has failed or written
// nothing, or its import was undone (see Transition).
func (db *DB) AssignBatchNumber(ctx context.Context, tx pgx.Tx, j *job.Job, uploader string, oncePerFile bool) error {
	if err := tx.QueryRow(ctx, `SELECT coalesce(batch_id, '') FROM import_jobs WHERE id = $1 FOR NO KEY UPDATE`, j.Key).Scan(&j.BatchNumber); err != nil {
		return fmt.Errorf("number batch %s: %w", j.ID, err)
	}
	if j.BatchNumber != "" {
		return nil
	}
	err := tx.QueryRow(ctx, `
		WITH next AS (
			INSERT INTO bulk_upload_counters AS c (organisation_id, day, last)
			VALUES ($2, (now() AT TIME ZONE 'UTC')::date, 1)
			ON CONFLICT (organisation_id, day) DO UPDATE SET last = c.last + 1
			RETURNING day, last
		)
		UPDATE import_jobs
		SET batch_id = 'BU' || to_char(next.day, 'YYYYMMDD') || to_char(next.last, 'FM0000'), uploader = $3, file_repeatable = NOT $4, updated_at = now()
		FROM next
		WHERE id = $1
		RETURNING batch_id`, j.Key, j.OrganisationID, uploader, oncePerFile).Scan(&j.BatchNumber)
	var pg *pgconn.PgError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &pg) && pg.ConstraintName == "import_jobs_batch_file":
		return problem.Wrap(err, problem.FileRepeated, "This file was already uploaded.")
	case errors.As(err, &pg) && pg.ConstraintName == "bulk_upload_counters_last_check":
		return problem.Wrap(err, problem.TooManyRequests,
			"The limit of %d batches a day is reached. Try again tomorrow.", maxBatchesPerDay)
	}
	return fmt.Errorf("number batch %s: %w", j.ID, err)
}

// BatchBeingUndone returns the number of the batch that claims a file, if it is being undone; otherwise "".
func (db *DB) BatchBeingUndone(ctx context.Context, tx pgx.Tx, importType, sha256 string) (string, error) {
	claiming, err := db.Batches(ctx, tx, BatchFilter{ImportType: importType, SHA256: sha256, Page: job.Page{Limit: 1}})
	if err != nil || len(claiming) == 0 || !claiming[0].Undoing {
		return "", err
	}
	return claiming[0].Number, nil
}

// batchRow is a row of bulk_upload_batch.
type batchRow struct {
	UUID                  job.ID
	BatchID               string
	Uploader              string
	OriginalFilename      string
	FileChecksum          *string
	HeaderRow             int64
	TotalRows             *int64
	CreatedCount          int64
	FailedCount           int64
	SkippedDuplicateCount int64
	Status                job.BatchStatus
	FailureCode           *string
	FailureMessage        *string
	ProcessingDurationMs  *int64
	UploadedAt            time.Time
	UpdatedAt             time.Time
	ImportStatus          job.Status
	ArrivedAt             *time.Time
	Waiting               bool
	Rehearsed             bool
	Warnings              []string
	Undone                *job.RevertedBy
	Undoing               bool
}

func (r *batchRow) batch() *job.Batch {
	b := &job.Batch{
		JobID: r.UUID, Number: r.BatchID, Uploader: r.Uploader, Filename: r.OriginalFilename, HeaderRow: r.HeaderRow,
		TotalRows: r.TotalRows, Created: r.CreatedCount, Failed: r.FailedCount, SkippedDuplicate: r.SkippedDuplicateCount,
		Status: r.Status, DurationMS: r.ProcessingDurationMs, UploadedAt: r.UploadedAt, UpdatedAt: r.UpdatedAt, Warnings: r.Warnings,
		Undone: r.Undone, Undoing: r.Undoing,
		WaitingFor: (&job.Job{Status: r.ImportStatus, UploadedAt: r.ArrivedAt, Waiting: r.Waiting}).WaitingFor(),
	}
	if r.FileChecksum != nil {
		b.SHA256 = *r.FileChecksum
	}
	if r.FailureCode != nil && r.FailureMessage != nil {
		b.Failure = &job.Failure{Code: *r.FailureCode, Message: *r.FailureMessage}
	} else if b.Status == job.BatchFailed {
		b.Failure = cancelledFailure(r.Rehearsed)
	}
	return b
}

// cancelledFailure returns the failure of a batch if a caller cancelled its job; for jobs, the
// status alone expresses this.
func cancelledFailure(rehearsed bool) *job.Failure {
	message := "The import was cancelled. Orders created before are kept; upload the file again for the rest."
	if rehearsed {
		message = "The import was cancelled as a plan. No orders were created; the counts are those of the plan."
	}
	return &job.Failure{Code: string(problem.Cancelled), Message: message}
}

// BatchFilter narrows a list of batches; zero values match all of the type.
type BatchFilter struct {
	ImportType string
	Uploader   string
	Status     job.BatchStatus
	Number     string
	JobID      job.ID
	SHA256     string // only the batches that claim this file: not failed, not undone, and anything is or may be written
	Uploaded   Period
	job.Page
}

func (f *BatchFilter) conditions() *conditions {
	c := &conditions{}
	c.add(`import_type = $%d`, f.ImportType)
	if f.Uploader != "" {
		c.add(`uploader = $%d`, f.Uploader)
	}
	if f.Number != "" {
		c.add(`batch_id = $%d`, f.Number)
	}
	if f.SHA256 != "" {
		c.add(`file_checksum = $%d AND (status = 'PROCESSING' OR status = 'COMPLETED' AND created_count > 0) AND `+batchUndoneBy+` IS NULL`, f.SHA256)
	}
	if f.JobID != "" {
		c.add(`uuid = $%d`, f.JobID)
	}
	if f.Status != "" {
		c.add(`status = $%d`, f.Status)
	}
	c.inPeriod(`uploaded_at`, f.Uploaded)
	return c
}

// batchUndoneBy is lastUndo of the import of a batch.
const batchUndoneBy = `CASE WHEN status <> 'PROCESSING' THEN (` + lastUndo + `bulk_upload_batch.uuid` + lastUndoEnd + `) END`

func batchOrder() listOrder { return listOrder{createdKey("import_jobs", true)} }

// BatchCursor returns the keys of a batch in the list.
func BatchCursor(b *job.Batch) []string { return createdCursor(b.JobID, b.UploadedAt) }

// Batches lists the organisation's batches, newest first.
func (db *DB) Batches(ctx context.Context, tx pgx.Tx, f BatchFilter) ([]*job.Batch, error) {
	c := f.conditions()
	if err := c.addAfter(batchOrder(), f.After); err != nil {
		return nil, err
	}
	where := c.where() + batchOrder().clause() + c.page(f.Page)
	rows, err := tx.Query(ctx, `
		SELECT uuid::text AS uuid, batch_id, uploader, original_filename, file_checksum, header_row,
			total_rows, created_count, failed_count, skipped_duplicate_count, status,
			failure_code, failure_message, processing_duration_ms, uploaded_at, updated_at,
			import_status, arrived_at, waiting, rehearsed, warnings, `+batchUndoneBy+` AS undone,
			EXISTS (SELECT FROM import_undos JOIN import_jobs AS u ON u.id = import_undos.job_id WHERE import_undos.reverted = bulk_upload_batch.uuid AND NOT u.dry_run AND u.completed_at IS NULL) AS undoing
		FROM bulk_upload_batch `+where, c.args...)
	if err != nil {
		return nil, fmt.Errorf("list batches: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToAddrOfStructByName[batchRow])
	if err != nil {
		return nil, fmt.Errorf("list batches: %w", err)
	}
	batches := make([]*job.Batch, len(found))
	for i, r := range found {
		batches[i] = r.batch()
	}
	return batches, nil
}

// CountBatches returns the number of batches that match a filter.
func (db *DB) CountBatches(ctx context.Context, tx pgx.Tx, f BatchFilter) (n int64, err error) {
	c := f.conditions()
	if err := tx.QueryRow(ctx, `SELECT count(*) FROM bulk_upload_batch `+c.where(), c.args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count batches: %w", err)
	}
	return n, nil
}

// Batch returns the newest batch that matches a filter.
func (db *DB) Batch(ctx context.Context, tx pgx.Tx, f BatchFilter) (*job.Batch, error) {
	f.Page = job.Page{Limit: 1}
	found, err := db.Batches(ctx, tx, f)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, problem.New(problem.NotFound, "No batch with this ID exists.")
	}
	return found[0], nil
}

// BatchRows returns the stored batch rows of a job with those numbers.
func (db *DB) BatchRows(ctx context.Context, tx pgx.Tx, key job.Key, numbers []int64) (map[int64]job.BatchRow, error) {
	rows, err := tx.Query(ctx, `
		SELECT r.row_number, r.idempotency_key, r.idempotency_basis, coalesce(made.order_id, ''), coalesce(first.order_id, '')
		FROM bulk_upload_row AS r
		LEFT JOIN orders AS made ON made.organisation_id = r.organisation_id AND made.id = r.order_id
		LEFT JOIN orders AS first ON first.organisation_id = r.organisation_id AND first.idempotency_key = r.idempotency_key AND r.status <> 'CREATED'
		WHERE r.job_id = $1 AND r.row_number = ANY ($2)`, key, numbers)
	if err != nil {
		return nil, fmt.Errorf("load rows of batch %d: %w", key, err)
	}
	found := make(map[int64]job.BatchRow, len(numbers))
	var r job.BatchRow
	_, err = pgx.ForEachRow(rows, []any{&r.Row, &r.Key, &r.Basis, &r.EntityID, &r.Duplicate}, func() error {
		found[r.Row] = r
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("load rows of batch %d: %w", key, err)
	}
	return found, nil
}
