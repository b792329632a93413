-- +goose Up
-- The outbox: what the outside is told about imports. An event is inserted by the
-- statement that makes what it tells of true, and keeps the job's figures of that
-- moment.

CREATE TABLE job_events (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uuid            uuid        NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    job_id          bigint      NOT NULL REFERENCES import_jobs ON DELETE CASCADE,
    organisation_id bigint      NOT NULL,
    sequence        integer     NOT NULL CHECK (sequence > 0), -- within the job
    status          text        NOT NULL CHECK (status IN ('COLUMN_MAPPING', 'CELL_MAPPING', 'COMPLETED', 'FAILED', 'CANCELLED')),
    total_rows      bigint      NOT NULL,
    created_count   bigint      NOT NULL,
    updated_count   bigint      NOT NULL,
    skipped_count   bigint      NOT NULL,
    error_count     bigint      NOT NULL,
    deferred_count  bigint      NOT NULL,
    occurred_at     timestamptz NOT NULL DEFAULT now(),
    sent_at         timestamptz, -- EventBridge has it
    UNIQUE (job_id, sequence)
);
-- What reconcile looks for; events that are sent, which are most, are not in it.
CREATE INDEX job_events_unsent ON job_events (id) WHERE sent_at IS NULL;
CALL isolate_tenants('job_events');
CALL admit_maintenance('job_events');
GRANT INSERT ON job_events TO loadbay_maintenance; -- reconcile and purge end jobs too
