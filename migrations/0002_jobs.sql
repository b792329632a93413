-- +goose Up
-- The bookkeeping of imports: jobs, what their columns and values stand for,
-- the ledger of chunks, and what there is to say about single rows.

CREATE TABLE import_jobs (
    id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uuid              uuid        NOT NULL UNIQUE,
    organisation_id   bigint      NOT NULL REFERENCES organisations,
    import_type       text        NOT NULL,
    context_id        bigint,
    status            text        NOT NULL DEFAULT 'UPLOADED'
        CHECK (status IN ('UPLOADED', 'COLUMN_MAPPING', 'CELL_MAPPING', 'PROCESSING', 'COMPLETED', 'FAILED', 'CANCELLED')),
    mode              text        NOT NULL CHECK (mode IN ('insert', 'upsert')),
    auto_start        boolean     NOT NULL DEFAULT false,
    whole_file        boolean     NOT NULL DEFAULT false,
    cells_skipped     boolean     NOT NULL DEFAULT false,
    dry_run           boolean     NOT NULL DEFAULT false,
    original_filename text        NOT NULL CHECK (length(original_filename) <= 255),
    content_type      text        NOT NULL DEFAULT '',
    object_key        text        NOT NULL,
    size_bytes        bigint      NOT NULL CHECK (size_bytes >= 0),
    sha256            text        NOT NULL DEFAULT '' CHECK (sha256 ~ '^([0-9a-f]{64})?$'),
    options           jsonb       NOT NULL DEFAULT '{}',
    dialect           jsonb,
    warnings          text[]      NOT NULL DEFAULT '{}',
    result            jsonb,
    request_id        text        NOT NULL,
    retry_of          uuid,
    -- Progress. A chunk's transaction adds to these as its last statement.
    total_rows        bigint      NOT NULL DEFAULT 0,
    created_count     bigint      NOT NULL DEFAULT 0 CHECK (created_count  >= 0),
    updated_count     bigint      NOT NULL DEFAULT 0 CHECK (updated_count  >= 0),
    skipped_count     bigint      NOT NULL DEFAULT 0 CHECK (skipped_count  >= 0),
    error_count       bigint      NOT NULL DEFAULT 0 CHECK (error_count    >= 0),
    deferred_count    bigint      NOT NULL DEFAULT 0 CHECK (deferred_count >= 0),
    file_lines        bigint      NOT NULL DEFAULT 0,
    blank_lines       bigint      NOT NULL DEFAULT 0,
    header_lines      bigint      NOT NULL DEFAULT 0,
    chunk_total       integer     NOT NULL DEFAULT 0,
    chunks_done       integer     NOT NULL DEFAULT 0,
    split_complete    boolean     NOT NULL DEFAULT false,
    callback_pending  boolean     NOT NULL DEFAULT false,
    failure_code      text,
    failure_message   text,
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now(),
    uploaded_at       timestamptz,
    started_at        timestamptz,
    completed_at      timestamptz,
    reconciled_at     timestamptz, -- when reconcile last looked at it
    CHECK (chunks_done <= chunk_total OR NOT split_complete),
    CHECK ((completed_at IS NOT NULL) = (status IN ('COMPLETED', 'FAILED', 'CANCELLED')))
);
CREATE INDEX import_jobs_list ON import_jobs (organisation_id, id DESC);
-- What reconcile looks for; terminal jobs, which are most, are not in it.
CREATE INDEX import_jobs_open ON import_jobs (callback_pending DESC, reconciled_at NULLS FIRST) WHERE status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED');
-- What purge looks for.
CREATE INDEX import_jobs_ended ON import_jobs (completed_at) WHERE completed_at IS NOT NULL;
CALL isolate_tenants('import_jobs');
CALL admit_maintenance('import_jobs');

CREATE TABLE import_column_mappings (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    job_id          bigint  NOT NULL REFERENCES import_jobs ON DELETE CASCADE,
    organisation_id bigint  NOT NULL,
    column_index    integer NOT NULL,
    source_header   text    NOT NULL,
    target_field    text,
    status          text    NOT NULL CHECK (status IN ('AUTO_MATCHED', 'MANUAL_MATCHED', 'UNRESOLVED', 'IGNORED')),
    confidence      real    NOT NULL DEFAULT 0,
    samples         text[]  NOT NULL DEFAULT '{}',
    confirmed       boolean NOT NULL DEFAULT false,
    UNIQUE (job_id, column_index)
);
-- Each target is taken once.
CREATE UNIQUE INDEX import_column_mappings_target ON import_column_mappings (job_id, target_field)
    WHERE target_field IS NOT NULL;
CALL isolate_tenants('import_column_mappings');
CALL admit_maintenance('import_column_mappings');

CREATE TABLE import_cell_mappings (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    job_id           bigint  NOT NULL REFERENCES import_jobs ON DELETE CASCADE,
    organisation_id  bigint  NOT NULL,
    target_field     text    NOT NULL,
    source_value     text    NOT NULL,
    status           text    NOT NULL CHECK (status IN ('AUTO_MATCHED', 'MANUAL_MATCHED', 'UNRESOLVED', 'IGNORED')),
    target_entity_id text,
    row_count        bigint  NOT NULL DEFAULT 0,
    first_row        bigint,
    confirmed        boolean NOT NULL DEFAULT false,
    UNIQUE (job_id, target_field, source_value)
);
CALL isolate_tenants('import_cell_mappings');
CALL admit_maintenance('import_cell_mappings');

-- The ledger. outcomes holds one byte for each line of the chunk (see job.Outcome).
CREATE TABLE import_chunks (
    job_id          bigint  NOT NULL REFERENCES import_jobs ON DELETE CASCADE,
    organisation_id bigint  NOT NULL,
    chunk_index     integer NOT NULL,
    object_key      text    NOT NULL,
    byte_offset     bigint  NOT NULL,
    byte_length     bigint  NOT NULL,
    first_row       bigint  NOT NULL,
    line_count      integer NOT NULL,
    row_count       integer NOT NULL,
    crc32c          bigint  NOT NULL,
    done            boolean NOT NULL DEFAULT false,
    outcomes        bytea,
    PRIMARY KEY (job_id, chunk_index)
);
CALL isolate_tenants('import_chunks');
CALL admit_maintenance('import_chunks');

-- There is no foreign key to the job: to check it would cost more than to write
-- the row. Purge removes a job's results before the job.
CREATE TABLE import_row_results (
    job_id          bigint NOT NULL,
    row_number      bigint NOT NULL,
    organisation_id bigint NOT NULL,
    outcome         "char" NOT NULL,
    faults          jsonb  NOT NULL,
    PRIMARY KEY (job_id, row_number)
);
CALL isolate_tenants('import_row_results');
CALL admit_maintenance('import_row_results');
