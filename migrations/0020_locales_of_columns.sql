-- +goose Up
-- How a column's dates and numbers are read, found out from all of its cells before
-- the first row is taken: sheet.Locale. '{}': nobody has looked; import_jobs.dialect
-- says it of all columns.
ALTER TABLE import_column_mappings ADD COLUMN locale jsonb NOT NULL DEFAULT '{}';
