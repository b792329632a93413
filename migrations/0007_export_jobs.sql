-- +goose Up
-- Exports: one row for each file that was asked for.

CREATE TABLE export_jobs (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uuid            uuid        NOT NULL UNIQUE,
    organisation_id bigint      NOT NULL REFERENCES organisations,
    import_type     text        NOT NULL, -- the type whose rows are exported
    format          text        NOT NULL CHECK (format IN ('csv', 'ndjson', 'xlsx')),
    fields          text[]      NOT NULL DEFAULT '{}', -- columns; empty for all
    filters         jsonb       NOT NULL DEFAULT '{}',
    status          text        NOT NULL DEFAULT 'pending'
        CHECK (status IN ('pending', 'processing', 'completed', 'failed', 'cancelled')),
    record_count    bigint      NOT NULL DEFAULT 0 CHECK (record_count >= 0), -- so far, while it is being written
    size_bytes      bigint      NOT NULL DEFAULT 0,
    object_key      text        NOT NULL,
    failure_code    text,
    failure_message text,
    request_id      text        NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    started_at      timestamptz,
    completed_at    timestamptz,
    -- The last sign of life, so that reconcile can queue again those whose message
    -- is lost, or was never sent.
    touched_at      timestamptz NOT NULL DEFAULT now(),
    requeues        integer     NOT NULL DEFAULT 0 CHECK (requeues >= 0),
    CHECK ((completed_at IS NOT NULL) = (status IN ('completed', 'failed', 'cancelled')))
);
CREATE INDEX export_jobs_list ON export_jobs (organisation_id, id DESC);
-- What reconcile looks for.
CREATE INDEX export_jobs_open ON export_jobs (touched_at) WHERE status IN ('pending', 'processing');
-- What purge looks for.
CREATE INDEX export_jobs_ended ON export_jobs (completed_at) WHERE completed_at IS NOT NULL;
CALL isolate_tenants('export_jobs');
CALL admit_maintenance('export_jobs');
