-- +goose Up
-- A batch shows the warnings of its import.
CREATE OR REPLACE VIEW bulk_upload_batch WITH (security_invoker=true) AS
 SELECT id,
    uuid,
    organisation_id,
    import_type,
    batch_id,
    uploader,
    original_filename,
    NULLIF(sha256, ''::text) AS file_checksum,
    created_at AS uploaded_at,
    (EXTRACT(epoch FROM completed_at - created_at) * 1000::numeric)::bigint AS processing_duration_ms,
        CASE
            WHEN status = 'COMPLETED'::text OR completed_at IS NULL THEN total_rows
            ELSE NULL::bigint
        END AS total_rows,
    created_count,
    error_count AS failed_count,
    skipped_count AS skipped_duplicate_count,
        CASE
            WHEN status = 'COMPLETED'::text THEN 'COMPLETED'::text
            WHEN completed_at IS NOT NULL THEN 'FAILED'::text
            ELSE 'PROCESSING'::text
        END AS status,
    COALESCE((dialect ->> 'headerRow'::text)::bigint, 0::bigint) AS header_row,
    failure_code,
    failure_message,
    created_at,
    updated_at,
    status AS import_status,
    uploaded_at AS arrived_at,
    announced AS waiting,
    plan AND applied_at IS NULL AS rehearsed,
    warnings
   FROM import_jobs
  WHERE batch_id IS NOT NULL;
