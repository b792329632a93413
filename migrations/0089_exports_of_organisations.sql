-- +goose Up
-- An export may be the archive of a whole organisation: a ZIP file.
ALTER TABLE loadbay.export_jobs DROP CONSTRAINT export_jobs_format_check;
ALTER TABLE loadbay.export_jobs ADD CONSTRAINT export_jobs_format_check CHECK (format IN ('csv', 'ndjson', 'xlsx', 'zip'));
