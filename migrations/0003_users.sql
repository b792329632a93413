-- +goose Up
-- source_job and source_row say which row of which import last wrote an
-- entity. They settle the order of rows within a job.

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
    PRIMARY KEY (organisation_id, id),
    CONSTRAINT users_email_key UNIQUE (organisation_id, email)
);
CALL isolate_tenants('users');
