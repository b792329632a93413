-- +goose Up
-- Orders, and the uploads that make them. A batch is an import job with a
-- number: bulk_upload_batch is a view, so that there is one state machine.

CREATE TABLE orders (
    id                   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organisation_id      bigint  NOT NULL REFERENCES organisations,
    -- What people call the order: ORD000123.
    order_id             text    NOT NULL GENERATED ALWAYS AS ('ORD' || lpad(id::text, greatest(6, length(id::text)), '0')) STORED,
    -- "<client id>:<client reference>", or "HASH:<SHA-256 of the canonical row>".
    idempotency_key      text    NOT NULL CHECK (length(idempotency_key) <= 300),
    client_id            bigint  NOT NULL CHECK (client_id > 0),
    client_reference     text,
    sender_name          text    NOT NULL,
    sender_address       text    NOT NULL,
    sender_contact       text    NOT NULL,
    receiver_name        text    NOT NULL,
    receiver_address     text    NOT NULL,
    receiver_city        text    NOT NULL,
    receiver_pincode     text    NOT NULL CHECK (receiver_pincode ~ '^[1-9][0-9]{5}$'),
    item_count           bigint  NOT NULL CHECK (item_count > 0),
    total_weight         numeric NOT NULL CHECK (total_weight > 0),
    service_type         text    NOT NULL CHECK (service_type IN ('EXPRESS', 'STANDARD', 'ECONOMY')),
    declared_value       numeric CHECK (declared_value BETWEEN 0 AND 100000),
    cod_amount           numeric CHECK (cod_amount >= 0),
    special_instructions text,
    status               text    NOT NULL DEFAULT 'PENDING'
        CHECK (status IN ('PENDING', 'CONFIRMED', 'IN_TRANSIT', 'DELIVERED', 'CANCELLED')),
    created_at           timestamptz NOT NULL DEFAULT now(),
    updated_at           timestamptz NOT NULL DEFAULT now(),
    source_job           bigint,
    source_row           bigint,
    UNIQUE (organisation_id, id),
    UNIQUE (organisation_id, order_id),
    -- This is what keeps two batches that run at the same time from making an
    -- order twice: the second waits for the first one's commit.
    CONSTRAINT orders_idempotency_key UNIQUE (organisation_id, idempotency_key)
);
CALL isolate_tenants('orders');

-- The number of a batch, its uploader and its promises.
ALTER TABLE import_jobs
    ADD COLUMN batch_id text CHECK (batch_id ~ '^BU\d{8}\d{4}$'),
    ADD COLUMN uploader text,
    ADD CONSTRAINT import_jobs_batch_key UNIQUE (organisation_id, batch_id),
    ADD CONSTRAINT import_jobs_batch_complete CHECK (batch_id IS NULL OR (uploader IS NOT NULL AND length(sha256) = 64)),
    ADD CONSTRAINT import_jobs_batch_counts
        CHECK (batch_id IS NULL OR status <> 'COMPLETED' OR total_rows = created_count + error_count + skipped_count);
-- A file is imported by one batch, unless that one failed.
CREATE UNIQUE INDEX import_jobs_batch_file ON import_jobs (organisation_id, import_type, sha256)
    WHERE batch_id IS NOT NULL AND status NOT IN ('FAILED', 'CANCELLED');
CREATE INDEX import_jobs_batch_uploader ON import_jobs (organisation_id, uploader, id DESC) WHERE batch_id IS NOT NULL;

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
