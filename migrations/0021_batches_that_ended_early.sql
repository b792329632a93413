-- +goose Up
-- A batch that failed or was cancelled has rows that nothing came of: its counts are
-- those of the others, and have no total.
CREATE OR REPLACE VIEW bulk_upload_batch WITH (security_invoker = true) AS
SELECT
    id, uuid, organisation_id, import_type, batch_id, uploader, original_filename,
    sha256            AS file_checksum,
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
