-- +goose NO TRANSACTION
-- +goose Up
-- Looks at the rows that were there before the conditions of the previous migration:
-- VALIDATE lets others write while it reads.
ALTER TABLE import_jobs VALIDATE CONSTRAINT import_jobs_status_check;
ALTER TABLE import_jobs VALIDATE CONSTRAINT import_jobs_applied;
ALTER TABLE job_events VALIDATE CONSTRAINT job_events_status_check;
