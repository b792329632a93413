-- +goose Up
-- Plans: an import is rehearsed, waits for somebody to approve of what it would change,
-- and then changes that. import_jobs.plan says that the job is rehearsed first; one whose
-- purpose is PLAN waits in any case, another one only if it goes beyond its guards.

ALTER TABLE import_jobs DROP CONSTRAINT import_jobs_status_check;
ALTER TABLE import_jobs ADD CONSTRAINT import_jobs_status_check
    CHECK (status IN ('UPLOADED', 'COLUMN_MAPPING', 'CELL_MAPPING', 'PROCESSING', 'AWAITING_APPROVAL', 'COMPLETED', 'FAILED', 'CANCELLED')) NOT VALID;
ALTER TABLE job_events DROP CONSTRAINT job_events_status_check;
ALTER TABLE job_events ADD CONSTRAINT job_events_status_check
    CHECK (status IN ('COLUMN_MAPPING', 'CELL_MAPPING', 'AWAITING_APPROVAL', 'COMPLETED', 'FAILED', 'CANCELLED')) NOT VALID;

ALTER TABLE import_jobs ADD COLUMN approval text CHECK (approval IN ('any', 'other')); -- who may apply it: other than who made it
ALTER TABLE import_jobs ADD COLUMN guards jsonb; -- beyond which an import that nobody wanted planned waits
ALTER TABLE import_jobs ADD COLUMN plan_digest text CHECK (plan_digest ~ '^[0-9a-f]{64}$'); -- of import_plan_changes; NULL until it is rehearsed
ALTER TABLE import_jobs ADD COLUMN on_stale text CHECK (on_stale IN ('skip', 'abort', 'overwrite'));
ALTER TABLE import_jobs ADD COLUMN applied_at timestamptz; -- from here on the plan is written
ALTER TABLE import_jobs ADD COLUMN applied_by text; -- the subject of the token; NULL: nobody, it was within its guards
ALTER TABLE import_jobs ADD CONSTRAINT import_jobs_applied
    CHECK ((applied_at IS NULL OR plan AND plan_digest IS NOT NULL AND on_stale IS NOT NULL) AND (purpose <> 'PLAN' OR plan)) NOT VALID;

-- What an import would change: as import_changes, which has what it really changed.
CREATE TABLE import_plan_changes (
    job_id          bigint      NOT NULL,
    organisation_id bigint      NOT NULL,
    chunk_index     integer     NOT NULL,
    part            integer     NOT NULL,
    created         integer     NOT NULL,
    updated         integer     NOT NULL,
    deleted         integer     NOT NULL,
    data            bytea       NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    first_row       bigint      NOT NULL,
    last_row        bigint      NOT NULL,
    tally           jsonb       NOT NULL, -- what migration 0046 says of it
    PRIMARY KEY (job_id, chunk_index, part),
    CONSTRAINT import_plan_changes_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES import_jobs (organisation_id, id) ON DELETE CASCADE
);
ALTER TABLE import_plan_changes ALTER COLUMN data SET STORAGE EXTERNAL;
CALL isolate_tenants('import_plan_changes');
CALL admit_maintenance('import_plan_changes');

-- What an organisation wants where a request says nothing.
ALTER TABLE organisation_settings ADD COLUMN approval text CHECK (approval IN ('any', 'other'));
ALTER TABLE organisation_settings ADD COLUMN guards jsonb;
