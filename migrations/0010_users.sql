-- +goose Up
-- Users, and what every table of entities has beside its own columns:
--
-- source_job and source_row say which row of which import last wrote an entity.
-- They settle the order of rows within a job, whichever chunk is written first.
--
-- source_cells says it of single fields. An upsert leaves a value as it is where
-- the cell is empty, so several rows of a file may each have written a part of an
-- entity. Element n is the row of source_job that wrote the n-th field of the
-- import type; 0 is none of its rows, NULL is source_row. Rows without empty cells,
-- as most are, need no array. Tables that entity.Table writes have this column.

CREATE TABLE users (
    organisation_id bigint      NOT NULL,
    id              uuid        NOT NULL DEFAULT gen_random_uuid(),
    email           text        NOT NULL,
    name            text        NOT NULL,
    role            text        NOT NULL DEFAULT 'user',
    active          boolean     NOT NULL DEFAULT true,
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    source_job      bigint,
    source_row      bigint,
    source_cells    integer[],
    PRIMARY KEY (organisation_id, id),
    CONSTRAINT users_email_key UNIQUE (organisation_id, email)
);
CALL isolate_tenants('users');
