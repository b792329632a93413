-- +goose Up
-- The ledger of chunks, and what there is to say about single rows.

-- One entry for each piece that a file is cut into. done is set by the transaction
-- that writes the chunk's rows, so each is written once however often its message
-- comes. outcomes holds one byte for each line of the chunk (see job.Outcome).
CREATE TABLE import_chunks (
    job_id          bigint  NOT NULL REFERENCES import_jobs ON DELETE CASCADE,
    organisation_id bigint  NOT NULL,
    chunk_index     integer NOT NULL,
    object_key      text    NOT NULL,
    byte_offset     bigint  NOT NULL,
    byte_length     bigint  NOT NULL,
    first_row       bigint  NOT NULL,
    line_count      integer NOT NULL,
    row_count       integer NOT NULL,
    crc32c          bigint  NOT NULL,
    done            boolean NOT NULL DEFAULT false,
    outcomes        bytea,
    PRIMARY KEY (job_id, chunk_index)
);
CALL isolate_tenants('import_chunks');
CALL admit_maintenance('import_chunks');

-- Rows with something to say beyond their outcome. There is no foreign key to the
-- job: to check it would cost more than to write the row. Purge removes a job's
-- results before the job.
CREATE TABLE import_row_results (
    job_id          bigint NOT NULL,
    row_number      bigint NOT NULL,
    organisation_id bigint NOT NULL,
    outcome         "char" NOT NULL,
    faults          jsonb  NOT NULL,
    PRIMARY KEY (job_id, row_number)
);
CALL isolate_tenants('import_row_results');
CALL admit_maintenance('import_row_results');
