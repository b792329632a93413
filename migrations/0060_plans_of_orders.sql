-- +goose NO TRANSACTION
-- +goose Up
-- Rows of uploads name the orders that they make from the moment that these are rehearsed,
-- and go on to while an undo has them away: an order has one id for ever.
ALTER TABLE bulk_upload_row DROP CONSTRAINT IF EXISTS bulk_upload_row_order_fkey;

-- A batch says what it waits for, and whether anything that it counts has been written.
CREATE OR REPLACE VIEW bulk_upload_batch WITH (security_invoker = true) AS
SELECT
    id, uuid, organisation_id, import_type, batch_id, uploader, original_filename,
    nullif(sha256, '') AS file_checksum,
    created_at         AS uploaded_at,
    (extract(epoch FROM completed_at - created_at) * 1000)::bigint AS processing_duration_ms,
    CASE WHEN status = 'COMPLETED' OR completed_at IS NULL THEN total_rows END AS total_rows,
    created_count,
    error_count        AS failed_count,
    skipped_count      AS skipped_duplicate_count,
    CASE WHEN status = 'COMPLETED' THEN 'COMPLETED' WHEN completed_at IS NOT NULL THEN 'FAILED' ELSE 'PROCESSING' END AS status,
    coalesce((dialect ->> 'headerRow')::bigint, 0) AS header_row,
    failure_code, failure_message, created_at, updated_at,
    status             AS import_status,
    uploaded_at        AS arrived_at,
    announced          AS waiting,
    plan AND applied_at IS NULL AS rehearsed
FROM import_jobs
WHERE batch_id IS NOT NULL;
