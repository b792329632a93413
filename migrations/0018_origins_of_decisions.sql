-- +goose Up
-- Only what a person said about this very column or value is remembered: not what
-- came with a confirmation of the rest, by a default for many, or from memory itself.
ALTER TABLE import_column_mappings ADD COLUMN decided boolean NOT NULL DEFAULT false;
ALTER TABLE import_cell_mappings ADD COLUMN decided boolean NOT NULL DEFAULT false;

-- import_jobs.uuid of the import in which a person decided; it may be purged by now.
-- NULL: before this was kept.
ALTER TABLE import_column_decisions ADD COLUMN decided_in uuid;
ALTER TABLE import_cell_decisions ADD COLUMN decided_in uuid;
