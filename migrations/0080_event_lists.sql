-- +goose Up
-- The events of an organisation are listed by time, for programs that a webhook cannot reach.
CREATE INDEX job_events_list ON loadbay.job_events (organisation_id, occurred_at DESC);
