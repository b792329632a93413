-- +goose Up
-- What the outside is told: the outbox of events, where an organisation wants to
-- hear of them, and what became of telling it.

ALTER TABLE import_jobs
    ADD COLUMN event_count integer NOT NULL DEFAULT 0,    -- events so far: the number of the last one
    ADD COLUMN announced   boolean NOT NULL DEFAULT false; -- there is an event of the status that it has now

-- The outbox. An event is inserted by the statement that makes what it tells of
-- true, and keeps the job's figures of that moment.
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

-- Where an organisation wants to hear of its imports. The secrets sign what is
-- sent; the previous one does too while its owner replaces it. No maintenance
-- sees them.
CREATE TABLE webhooks (
    organisation_id bigint      PRIMARY KEY REFERENCES organisations,
    url             text        NOT NULL CHECK (length(url) <= 2048),
    secret          text        NOT NULL,
    previous_secret text,
    previous_until  timestamptz,
    disabled_at     timestamptz, -- its server said that it is gone for good
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    CHECK ((previous_secret IS NULL) = (previous_until IS NULL))
);
CALL isolate_tenants('webhooks');

-- What became of telling a webhook of an event. The body is kept as it is sent,
-- so that every attempt brings the same bytes.
CREATE TABLE webhook_deliveries (
    event_id        uuid        PRIMARY KEY,
    organisation_id bigint      NOT NULL,
    job_id          bigint      REFERENCES import_jobs ON DELETE CASCADE, -- NULL for a test
    event_type      text        NOT NULL,
    body            text        NOT NULL,
    status          text        NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'DELIVERED', 'FAILED')),
    attempts        integer     NOT NULL DEFAULT 0,
    http_status     integer, -- of the last attempt; NULL where nobody answered
    fault           text,    -- why the last attempt failed
    created_at      timestamptz NOT NULL DEFAULT now(),
    next_attempt_at timestamptz NOT NULL DEFAULT now(),
    queued_at       timestamptz, -- by reconcile, for the attempt that is due
    ended_at        timestamptz,
    CHECK ((ended_at IS NULL) = (status = 'PENDING'))
);
CREATE INDEX webhook_deliveries_list ON webhook_deliveries (organisation_id, created_at DESC);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_attempt_at) WHERE status = 'PENDING';
CREATE INDEX webhook_deliveries_job ON webhook_deliveries (job_id);
CALL isolate_tenants('webhook_deliveries');
CALL admit_maintenance('webhook_deliveries');
