-- +goose Up
-- When an export or the fetching of a file last gave a sign of life, so that
-- reconcile can queue again those whose message is lost, or was never sent.

ALTER TABLE export_jobs
    ADD COLUMN touched_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN requeues   integer     NOT NULL DEFAULT 0 CHECK (requeues >= 0);
CREATE INDEX export_jobs_open ON export_jobs (touched_at) WHERE status IN ('pending', 'processing');

ALTER TABLE import_sources
    ADD COLUMN touched_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN requeues   integer     NOT NULL DEFAULT 0 CHECK (requeues >= 0);
