-- +goose Up
-- A person who chooses a file sees earlier imports of the same file. Each change of an import's status adds
-- an entry to this index, and those of a hash index are the shortest.
CREATE INDEX import_jobs_file ON loadbay.import_jobs USING hash (sha256) WHERE sha256 <> '';
