-- +goose Up
-- Rows that an import could not take are put right one by one: what a person says of
-- their cells, and the imports that bring them again.

-- An import that brings rows of another again has no file of its own: it reads those
-- rows where the other one's ledger says they are.
ALTER TABLE import_jobs ADD COLUMN rerun boolean NOT NULL DEFAULT false;
ALTER TABLE import_jobs ADD CONSTRAINT import_jobs_rerun CHECK (NOT rerun OR retry_of IS NOT NULL);
CREATE INDEX import_jobs_retries ON import_jobs (retry_of, id) WHERE retry_of IS NOT NULL;

-- What a field of a row is to be read as, instead of what the file has: a text as the
-- column's cells are written, a number, true or false, or null for nothing. Those of an
-- import are what its rows are corrected to; those of a rerun are what it has run with.
CREATE TABLE import_row_corrections (
    job_id          bigint  NOT NULL,
    organisation_id bigint  NOT NULL,
    row_number      bigint  NOT NULL CHECK (row_number > 0),
    field           text    NOT NULL,
    value           jsonb   NOT NULL CHECK (jsonb_typeof(value) NOT IN ('object', 'array') AND octet_length(value::text) <= 262144),
    taken           boolean NOT NULL DEFAULT false, -- by a rerun: nobody has said anything new since
    PRIMARY KEY (job_id, row_number, field),
    CONSTRAINT import_row_corrections_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES import_jobs (organisation_id, id) ON DELETE CASCADE
);
CALL isolate_tenants('import_row_corrections');
CALL admit_maintenance('import_row_corrections');

-- A file of an import that is given back with its wrong cells marked is an export.
ALTER TABLE export_jobs ADD COLUMN annotates uuid;
CREATE INDEX export_jobs_annotations ON export_jobs (annotates, id DESC) WHERE annotates IS NOT NULL;
