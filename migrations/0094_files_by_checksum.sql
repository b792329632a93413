-- +goose Up
-- A person who chooses a file sees earlier imports of the same file.
CREATE INDEX import_jobs_file ON loadbay.import_jobs (organisation_id, sha256, id DESC) WHERE sha256 <> '';
