-- +goose Up
-- Imports: one row a file, from its upload to its end and beyond.

CREATE TABLE import_jobs (
    id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- internal; short, as it stands with every row
    uuid              uuid        NOT NULL UNIQUE, -- what the API calls the job; also its execution's name
    organisation_id   bigint      NOT NULL REFERENCES organisations,
    import_type       text        NOT NULL,
    context_id        bigint, -- what the rows belong to: a period, an event; NULL where the type needs none
    status            text        NOT NULL DEFAULT 'UPLOADED'
        CHECK (status IN ('UPLOADED', 'COLUMN_MAPPING', 'CELL_MAPPING', 'PROCESSING', 'COMPLETED', 'FAILED', 'CANCELLED')),
    mode              text        NOT NULL CHECK (mode IN ('insert', 'upsert')),
    auto_start        boolean     NOT NULL DEFAULT false, -- asks nobody: what is unmatched is ignored
    whole_file        boolean     NOT NULL DEFAULT false, -- the type's rows depend on each other
    cells_skipped     boolean     NOT NULL DEFAULT false, -- values that nobody mapped make rows with errors
    dry_run           boolean     NOT NULL DEFAULT false,
    original_filename text        NOT NULL CHECK (length(original_filename) <= 255), -- a label, never a path
    content_type      text        NOT NULL DEFAULT '',
    object_key        text        NOT NULL,
    size_bytes        bigint      NOT NULL CHECK (size_bytes >= 0),
    sha256            text        NOT NULL DEFAULT '' CHECK (sha256 ~ '^([0-9a-f]{64})?$'), -- '' until it is known
    options           jsonb       NOT NULL DEFAULT '{}',
    dialect           jsonb, -- how the file is written, once it is analysed
    warnings          text[]      NOT NULL DEFAULT '{}',
    result            jsonb,
    request_id        text        NOT NULL, -- of the request that made the job; in every line logged about it
    retry_of          uuid, -- the job whose failed rows this one brings again

    -- Progress. A chunk's transaction adds to these as its last statement.
    total_rows        bigint      NOT NULL DEFAULT 0,
    created_count     bigint      NOT NULL DEFAULT 0 CHECK (created_count  >= 0),
    updated_count     bigint      NOT NULL DEFAULT 0 CHECK (updated_count  >= 0),
    skipped_count     bigint      NOT NULL DEFAULT 0 CHECK (skipped_count  >= 0),
    error_count       bigint      NOT NULL DEFAULT 0 CHECK (error_count    >= 0),
    deferred_count    bigint      NOT NULL DEFAULT 0 CHECK (deferred_count >= 0), -- rows that wait for a value to be mapped
    file_lines        bigint      NOT NULL DEFAULT 0,
    blank_lines       bigint      NOT NULL DEFAULT 0,
    header_lines      bigint      NOT NULL DEFAULT 0,
    chunk_total       integer     NOT NULL DEFAULT 0,
    chunks_done       integer     NOT NULL DEFAULT 0,
    split_complete    boolean     NOT NULL DEFAULT false, -- the totals are exact
    callback_pending  boolean     NOT NULL DEFAULT false, -- the last chunk is committed, and the execution is still to be told

    failure_code      text,
    failure_message   text,
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now(),
    uploaded_at       timestamptz,
    started_at        timestamptz,
    completed_at      timestamptz,
    reconciled_at     timestamptz, -- when reconcile last looked at it

    -- A batch is a job with a number that people use: see bulk_upload_batch.
    batch_id          text CHECK (batch_id ~ '^BU\d{8}\d{4}$'),
    uploader          text,

    -- The outbox: see job_events.
    event_count       integer     NOT NULL DEFAULT 0,     -- events so far: the number of the last one
    announced         boolean     NOT NULL DEFAULT false, -- there is an event of the status that it has now

    CHECK (chunks_done <= chunk_total OR NOT split_complete),
    CHECK ((completed_at IS NOT NULL) = (status IN ('COMPLETED', 'FAILED', 'CANCELLED'))),
    CONSTRAINT import_jobs_batch_key UNIQUE (organisation_id, batch_id),
    CONSTRAINT import_jobs_batch_complete CHECK (batch_id IS NULL OR (uploader IS NOT NULL AND length(sha256) = 64)),
    CONSTRAINT import_jobs_batch_counts
        CHECK (batch_id IS NULL OR status <> 'COMPLETED' OR total_rows = created_count + error_count + skipped_count)
);
CREATE INDEX import_jobs_list ON import_jobs (organisation_id, id DESC);
-- What reconcile looks for; jobs that have ended, which are most, are not in it.
CREATE INDEX import_jobs_open ON import_jobs (callback_pending DESC, reconciled_at NULLS FIRST)
    WHERE status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED');
-- What purge looks for.
CREATE INDEX import_jobs_ended ON import_jobs (completed_at) WHERE completed_at IS NOT NULL;
-- A file is imported by one batch, unless that one failed.
CREATE UNIQUE INDEX import_jobs_batch_file ON import_jobs (organisation_id, import_type, sha256)
    WHERE batch_id IS NOT NULL AND status NOT IN ('FAILED', 'CANCELLED');
CREATE INDEX import_jobs_batch_uploader ON import_jobs (organisation_id, uploader, id DESC) WHERE batch_id IS NOT NULL;
CALL isolate_tenants('import_jobs');
CALL admit_maintenance('import_jobs');

-- Where the file of an import is to be fetched from. An address may hold a
-- signature, so it stands here and nowhere else: not in a message, not in a log.
CREATE TABLE import_sources (
    job_id          bigint      NOT NULL PRIMARY KEY REFERENCES import_jobs ON DELETE CASCADE,
    organisation_id bigint      NOT NULL,
    url             text        NOT NULL CHECK (length(url) <= 8192),
    -- The last sign of life, so that reconcile can queue again what is lost.
    touched_at      timestamptz NOT NULL DEFAULT now(),
    requeues        integer     NOT NULL DEFAULT 0 CHECK (requeues >= 0)
);
CALL isolate_tenants('import_sources');
CALL admit_maintenance('import_sources');

-- Imports that purge has deleted: for a while, whoever comes back to one hears that
-- it is gone, and not that it never was.
CREATE TABLE purged_jobs (
    uuid            uuid        PRIMARY KEY,
    organisation_id bigint      NOT NULL,
    purged_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX purged_jobs_age ON purged_jobs (purged_at);
CALL isolate_tenants('purged_jobs');
CALL admit_maintenance('purged_jobs');
GRANT INSERT ON purged_jobs TO loadbay_maintenance;
