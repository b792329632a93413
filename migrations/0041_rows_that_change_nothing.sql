-- +goose Up
-- Rows of an upsert that change nothing: they are counted, and nothing is written for them.
ALTER TABLE import_jobs ADD COLUMN unchanged_count bigint NOT NULL DEFAULT 0 CHECK (unchanged_count >= 0);
ALTER TABLE job_events ADD COLUMN unchanged_count bigint NOT NULL DEFAULT 0;

-- Which rows of the chunk have a key that another row of the file has as well, a bit each
-- (see shared/repeated). Empty: none has. NULL: nobody knows, so that every row is written.
ALTER TABLE import_chunks ADD COLUMN repeated bytea;
