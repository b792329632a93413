-- +goose Up
-- Who has determined what an import writes, besides the uploader: set a mapping, a value, a
-- reading option or a correction, or took an address for its file. They may not approve it if
-- somebody else must. The service adds each name once, and at most 200.
ALTER TABLE import_jobs ADD COLUMN contributors text[] NOT NULL DEFAULT '{}' CHECK (cardinality(contributors) <= 200);
