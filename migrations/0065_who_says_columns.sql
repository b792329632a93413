-- +goose Up
-- Two people may say what the columns of one import are: who comes second is told who was first.
ALTER TABLE import_jobs ADD COLUMN columns_said_by text;

-- The values of a file are shown with those first that somebody is asked about, and of these those
-- in most rows, page by page: a hundred thousand of them are not sorted for each page.
CREATE INDEX import_cell_mappings_asked ON import_cell_mappings (job_id, ((status = 'UNRESOLVED' OR decided)) DESC, row_count DESC, id);
