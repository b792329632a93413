-- +goose Up
-- Orders are batches by whatever way they come. Only the endpoint for batches and the
-- drop folder hold a file to be one batch: elsewhere a person may map it otherwise, or
-- state other options, and its checksum may only become known as it is read.
ALTER TABLE import_jobs ADD COLUMN file_repeatable boolean NOT NULL DEFAULT false;
ALTER TABLE import_jobs DROP CONSTRAINT import_jobs_batch_complete;
ALTER TABLE import_jobs ADD CONSTRAINT import_jobs_batch_complete
    CHECK (batch_id IS NULL OR uploader IS NOT NULL AND (file_repeatable OR length(sha256) = 64));

DROP INDEX import_jobs_batch_file;
CREATE UNIQUE INDEX import_jobs_batch_file ON import_jobs (organisation_id, import_type, sha256)
    WHERE batch_id IS NOT NULL AND NOT file_repeatable AND status NOT IN ('FAILED', 'CANCELLED');

CREATE OR REPLACE VIEW bulk_upload_batch WITH (security_invoker = true) AS
SELECT
    id, uuid, organisation_id, import_type, batch_id, uploader, original_filename,
    nullif(sha256, '') AS file_checksum,
    created_at        AS uploaded_at,
    (extract(epoch FROM completed_at - created_at) * 1000)::bigint AS processing_duration_ms,
    CASE WHEN status = 'COMPLETED' OR completed_at IS NULL THEN total_rows END AS total_rows,
    created_count,
    error_count       AS failed_count,
    skipped_count     AS skipped_duplicate_count,
    CASE WHEN status = 'COMPLETED' THEN 'COMPLETED' WHEN completed_at IS NOT NULL THEN 'FAILED' ELSE 'PROCESSING' END AS status,
    coalesce((dialect ->> 'headerRow')::bigint, 0) AS header_row,
    failure_code, failure_message, created_at, updated_at
FROM import_jobs
WHERE batch_id IS NOT NULL;
