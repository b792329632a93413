-- +goose Up
-- Rows of a file that is planned which share keys: they are rehearsed, and written, with the
-- chunk of the first of them, since rows that are taken back are seen by no other chunk.
CREATE TABLE import_repeated_rows (
    job_id          bigint   NOT NULL,
    organisation_id bigint   NOT NULL,
    row_number      bigint   NOT NULL,
    chunk_index     integer  NOT NULL, -- that holds the row
    first_row       bigint   NOT NULL, -- the first row that shares keys with it
    outcome         smallint,          -- that it was rehearsed with; NULL before
    PRIMARY KEY (job_id, row_number),
    CONSTRAINT import_repeated_rows_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES import_jobs (organisation_id, id) ON DELETE CASCADE
);
CREATE INDEX import_repeated_rows_first ON import_repeated_rows (job_id, first_row);
CALL isolate_tenants('import_repeated_rows');
CALL admit_maintenance('import_repeated_rows');
