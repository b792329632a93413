-- +goose Up
-- Where an organisation wants to hear of its imports, and what became of telling it.

-- One address an organisation. The secrets sign what is sent; the previous one does
-- too while its owner replaces it. No maintenance sees them.
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
-- What reconcile looks for.
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_attempt_at) WHERE status = 'PENDING';
-- What purge looks for, and Postgres when a job is deleted.
CREATE INDEX webhook_deliveries_job ON webhook_deliveries (job_id);
CALL isolate_tenants('webhook_deliveries');
CALL admit_maintenance('webhook_deliveries');
