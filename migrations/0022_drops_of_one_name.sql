-- +goose Up
-- Files come to the drop folder under one name again and again: each import finds the
-- others of its name, so that their results do not replace each other.
CREATE INDEX import_jobs_dropped ON import_jobs (organisation_id, object_key, id) WHERE object_key LIKE 'drop/%';
