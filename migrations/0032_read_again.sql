-- +goose Up
-- A person who is asked about columns or values may say that the file is to be read in
-- another way: it is analysed again by the same execution.
ALTER TABLE import_jobs
    -- The version of the state machine that the execution runs, as it says itself when it
    -- analyses the file. 0: one that was started before executions could go back.
    ADD COLUMN machine        integer NOT NULL DEFAULT 0 CHECK (machine >= 0),
    -- How often the file was to be read again: an execution has so many steps and no more.
    ADD COLUMN rereads        integer NOT NULL DEFAULT 0 CHECK (rereads >= 0),
    -- The options that the import had before it was to be read again; NULL otherwise. They
    -- are in force again where the file cannot be read with the new ones.
    ADD COLUMN options_before jsonb,
    -- How many bytes of the file the analysis, and then the cutting, have read so far.
    ADD COLUMN bytes_read     bigint  NOT NULL DEFAULT 0 CHECK (bytes_read >= 0);

-- The last rows of a file as they were read, for whoever decides whether they are data:
-- cell values, which are kept no longer than the import.
CREATE TABLE import_last_rows (
    job_id          bigint PRIMARY KEY,
    organisation_id bigint NOT NULL,
    last_rows       jsonb  NOT NULL, -- of package source
    FOREIGN KEY (organisation_id, job_id) REFERENCES import_jobs (organisation_id, id) ON DELETE CASCADE
);
CALL isolate_tenants('import_last_rows');
CALL admit_maintenance('import_last_rows');
