-- +goose Up
-- Batches: uploads that make orders. A batch is an import job with a number:
-- bulk_upload_batch is a view, so that there is one state machine.

-- security_invoker holds whoever asks to their own organisation: a view shows its
-- owner's rows otherwise.
CREATE VIEW bulk_upload_batch WITH (security_invoker = true) AS
SELECT
    id, uuid, organisation_id, import_type, batch_id, uploader, original_filename,
    sha256            AS file_checksum,
    created_at        AS uploaded_at,
    (extract(epoch FROM completed_at - created_at) * 1000)::bigint AS processing_duration_ms,
    total_rows, created_count,
    error_count       AS failed_count,
    skipped_count     AS skipped_duplicate_count,
    CASE WHEN status = 'COMPLETED' THEN 'COMPLETED' WHEN completed_at IS NOT NULL THEN 'FAILED' ELSE 'PROCESSING' END AS status,
    coalesce((dialect ->> 'headerRow')::bigint, 0) AS header_row,
    failure_code, failure_message, created_at, updated_at
FROM import_jobs
WHERE batch_id IS NOT NULL;
GRANT SELECT ON bulk_upload_batch TO loadbay_app;

-- The last number of each day. Whoever takes one holds the row until the job
-- is committed, so a number that was taken in vain is given again.
CREATE TABLE bulk_upload_counters (
    organisation_id bigint  NOT NULL REFERENCES organisations,
    day             date    NOT NULL,
    last            integer NOT NULL CHECK (last BETWEEN 1 AND 9999),
    PRIMARY KEY (organisation_id, day)
);
CALL isolate_tenants('bulk_upload_counters');

-- Rows that were valid: each made an order or repeats the key of one. Those
-- that were not are in import_row_results with their faults.
CREATE TABLE bulk_upload_row (
    job_id            bigint NOT NULL REFERENCES import_jobs ON DELETE CASCADE,
    organisation_id   bigint NOT NULL,
    row_number        bigint NOT NULL CHECK (row_number >= 1),
    status            text   NOT NULL CHECK (status IN ('CREATED', 'SKIPPED_DUPLICATE')),
    idempotency_key   text   NOT NULL CHECK (length(idempotency_key) <= 300),
    idempotency_basis text   NOT NULL CHECK (idempotency_basis IN ('CLIENT_REFERENCE', 'HASH')),
    order_id          bigint,
    PRIMARY KEY (job_id, row_number),
    CONSTRAINT bulk_upload_row_order CHECK ((order_id IS NOT NULL) = (status = 'CREATED')),
    CONSTRAINT bulk_upload_row_basis CHECK ((idempotency_basis = 'HASH') = (idempotency_key ~ '^HASH:[0-9a-f]{64}$')),
    FOREIGN KEY (organisation_id, order_id) REFERENCES orders (organisation_id, id)
);
-- One row makes an order.
CREATE UNIQUE INDEX bulk_upload_row_creator ON bulk_upload_row (order_id) WHERE order_id IS NOT NULL;
CALL isolate_tenants('bulk_upload_row');
CALL admit_maintenance('bulk_upload_row');
