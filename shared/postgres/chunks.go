package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// AddChunks adds entries to the ledger. Existing entries are unchanged: a splitter that runs
// again splits at the same rows.
func (db *DB) AddChunks(ctx context.Context, tx pgx.Tx, j *job.Job, chunks []job.Chunk) error {
	n := len(chunks)
	index, lines, rows := make([]int32, n), make([]int32, n), make([]int32, n)
	offset, length, first, crc := make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	keys := make([]string, n)
	for i, c := range chunks {
		index[i], lines[i], rows[i] = int32(c.Index), int32(c.Lines), int32(c.Rows)
		offset[i], length[i], first[i], crc[i], keys[i] = c.Offset, c.Length, c.FirstRow, int64(c.CRC32C), c.Key
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO import_chunks (job_id, organisation_id, chunk_index, object_key, byte_offset, byte_length, first_row, line_count, row_count, crc32c)
		SELECT $1, $2, v.*
		FROM unnest($3::int[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::int[], $9::int[], $10::bigint[]) AS v
		ON CONFLICT (job_id, chunk_index) DO NOTHING`,
		j.Key, j.OrganisationID, index, keys, offset, length, first, lines, rows, crc)
	if err != nil {
		return fmt.Errorf("add %d chunks of job %s: %w", n, j.ID, err)
	}
	return nil
}

// Chunk returns a ledger entry.
func (db *DB) Chunk(ctx context.Context, tx pgx.Tx, key job.Key, index int) (*job.Chunk, error) {
	return db.chunk(ctx, tx, `WHERE job_id = $1 AND chunk_index = $2`, key, index)
}

// ClaimChunk returns a ledger entry and locks it until the transaction ends.
func (db *DB) ClaimChunk(ctx context.Context, tx pgx.Tx, key job.Key, index int) (*job.Chunk, error) {
	return db.chunk(ctx, tx, `WHERE job_id = $1 AND chunk_index = $2 FOR UPDATE`, key, index)
}

// ClaimChunkOfRow is ClaimChunk for the chunk that contains a row.
func (db *DB) ClaimChunkOfRow(ctx context.Context, tx pgx.Tx, key job.Key, row int64) (*job.Chunk, error) {
	return db.chunk(ctx, tx, `WHERE job_id = $1 AND $2 BETWEEN first_row AND first_row + line_count - 1 FOR UPDATE`, key, row)
}

func (*DB) chunk(ctx context.Context, tx pgx.Tx, where string, args ...any) (*job.Chunk, error) {
	var c job.Chunk
	var crc int64
	err := tx.QueryRow(ctx, `
		SELECT job_id, chunk_index, object_key, byte_offset, byte_length, first_row, line_count, row_count, crc32c, done, outcomes, repeated
		FROM import_chunks `+where, args...).
		Scan(&c.JobKey, &c.Index, &c.Key, &c.Offset, &c.Length, &c.FirstRow, &c.Lines, &c.Rows, &crc, &c.Done, &c.Outcomes, &c.DuplicateKeys)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, problem.New(problem.NotFound, "Chunk not found.")
	}
	if err != nil {
		return nil, fmt.Errorf("read chunk %v: %w", args, err)
	}
	c.CRC32C = uint32(crc)
	return &c, nil
}

// SaveOutcomes saves the outcomes of the chunk's rows.
func (db *DB) SaveOutcomes(ctx context.Context, tx pgx.Tx, c *job.Chunk) error {
	_, err := tx.Exec(ctx, `
		UPDATE import_chunks
		SET done = $3, outcomes = $4
		WHERE job_id = $1 AND chunk_index = $2`, c.JobKey, c.Index, c.Done, c.Outcomes)
	if err != nil {
		return fmt.Errorf("save outcomes of chunk %d of job %d: %w", c.Index, c.JobKey, err)
	}
	return nil
}

// SaveDuplicateKeys saves for chunks, by index, which rows have keys that also occur in other
// rows of the file.
func (db *DB) SaveDuplicateKeys(ctx context.Context, tx pgx.Tx, key job.Key, bits map[int][]byte) error {
	index, values := make([]int32, 0, len(bits)), make([][]byte, 0, len(bits))
	for i, b := range bits {
		index, values = append(index, int32(i)), append(values, b)
	}
	_, err := tx.Exec(ctx, `
		UPDATE import_chunks AS c
		SET repeated = v.bits
		FROM unnest($2::int[], $3::bytea[]) AS v(i, bits)
		WHERE c.job_id = $1 AND c.chunk_index = v.i`, key, index, values)
	if err != nil {
		return fmt.Errorf("save duplicate keys of job %d: %w", key, err)
	}
	return nil
}

// lastRowOfChunk selects the last row of the chunk c. The sum is computed before the comparison,
// because under row level security a sum is not an index condition.
const lastRowOfChunk = `(SELECT c.first_row + c.line_count - 1 AS last_row OFFSET 0)`

// ReopenDeferred marks the chunks that contain or decide deferred rows as not done and
// returns their indexes, so that they are queued again. If the job waits for a person or has
// ended, it returns an error and changes nothing.
func (db *DB) ReopenDeferred(ctx context.Context, tx pgx.Tx, key job.Key) ([]int, error) {
	rows, err := tx.Query(ctx, `
		UPDATE import_chunks AS c
		SET done = false
		WHERE c.job_id = $1 AND c.done AND (position('\x44'::bytea IN c.outcomes) > 0 OR EXISTS (
			SELECT FROM `+lastRowOfChunk+` AS chunk
			JOIN import_repeated_rows AS r ON r.first_row BETWEEN c.first_row AND chunk.last_row
			WHERE r.job_id = $1 AND r.outcome = ascii('D')
		))
		RETURNING c.chunk_index`, key)
	if err != nil {
		return nil, fmt.Errorf("reopen chunks of job %d: %w", key, err)
	}
	reopened, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		return nil, fmt.Errorf("reopen chunks of job %d: %w", key, err)
	}
	if len(reopened) == 0 {
		return nil, nil
	}
	tag, err := tx.Exec(ctx, `
		UPDATE import_jobs
		SET chunks_done = chunks_done - $2, updated_at = now()
		WHERE id = $1 AND status = 'PROCESSING'`, key, len(reopened))
	if err == nil && tag.RowsAffected() == 0 {
		err = errors.New("job is no longer PROCESSING")
	}
	if err != nil {
		return nil, fmt.Errorf("reopen chunks of job %d: %w", key, err)
	}
	return reopened, nil
}

// OpenChunks returns the indexes of the chunks that are not done.
func (db *DB) OpenChunks(ctx context.Context, tx pgx.Tx, key job.Key) ([]int, error) {
	rows, err := tx.Query(ctx, `SELECT chunk_index FROM import_chunks WHERE job_id = $1 AND NOT done ORDER BY chunk_index`, key)
	if err != nil {
		return nil, fmt.Errorf("load open chunks of job %d: %w", key, err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[int])
}

// CompleteSplit saves the totals and returns the job's progress. It is the last action of a
// splitter. If all chunks are already done, the callback becomes pending. A file without
// rows results in a warning.
func (db *DB) CompleteSplit(ctx context.Context, tx pgx.Tx, key job.Key, t job.SplitTotals) (job.Progress, bool, error) {
	return db.addProgress(ctx, tx, `
		SET chunk_total = $2, file_lines = $3, total_rows = $4, blank_lines = $5, header_lines = $6, split_complete = true,
		    sha256 = coalesce(nullif($7, ''), sha256),
		    warnings = CASE WHEN $4::bigint = 0 AND $8::text <> ALL (warnings) THEN warnings || $8::text ELSE warnings END,
		    callback_pending = callback_pending OR chunks_done = $2, updated_at = now()`,
		key, t.Chunks, t.Lines, t.Rows, t.Blank, t.Header, t.SHA256, problem.NoRows)
}

// AddProgress adds a chunk's outcomes to the job. It must be the last statement of the
// chunk's transaction. done is 1 if the chunk is now done. ok is false if the job is no
// longer PROCESSING: the caller must then roll back, which makes cancelling final.
func (db *DB) AddProgress(ctx context.Context, tx pgx.Tx, key job.Key, delta job.Counts, done int) (p job.Progress, ok bool, err error) {
	return db.addProgress(ctx, tx, `
		SET created_count = created_count + $2, updated_count = updated_count + $3, unchanged_count = unchanged_count + $4,
		    skipped_count = skipped_count + $5, error_count = error_count + $6, deferred_count = deferred_count + $7, chunks_done = chunks_done + $8,
		    callback_pending = callback_pending OR (split_complete AND chunks_done + $8 = chunk_total), updated_at = now()`,
		key, delta.Created, delta.Updated, delta.Unchanged, delta.Skipped, delta.Errored, delta.Deferred, done)
}

func (*DB) addProgress(ctx context.Context, tx pgx.Tx, set string, key job.Key, args ...any) (p job.Progress, ok bool, err error) {
	err = tx.QueryRow(ctx, `
		UPDATE import_jobs `+set+`
		WHERE id = $1 AND status = 'PROCESSING'
		RETURNING total_rows, file_lines, blank_lines, header_lines, chunk_total, chunks_done, split_complete, callback_pending,
			created_count, updated_count, unchanged_count, skipped_count, error_count, deferred_count`, append([]any{key}, args...)...).
		Scan(&p.TotalRows, &p.FileLines, &p.BlankLines, &p.HeaderLines, &p.ChunkTotal, &p.ChunksDone, &p.SplitComplete, &p.CallbackPending,
			&p.Counts.Created, &p.Counts.Updated, &p.Counts.Unchanged, &p.Counts.Skipped, &p.Counts.Errored, &p.Counts.Deferred)
	if errors.Is(err, pgx.ErrNoRows) {
		return p, false, nil
	}
	if err != nil {
		return p, false, fmt.Errorf("add progress of job %d: %w", key, err)
	}
	return p, true, nil
}

// MarkCallbackSent records that the task of AwaitRows has been completed.
func (db *DB) MarkCallbackSent(ctx context.Context, tx pgx.Tx, key job.Key) error {
	_, err := tx.Exec(ctx, `UPDATE import_jobs SET callback_pending = false, updated_at = now() WHERE id = $1`, key)
	if err != nil {
		return fmt.Errorf("mark callback of job %d as sent: %w", key, err)
	}
	return nil
}
