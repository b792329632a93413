-- +goose Up
-- What people answered about headers and values in the last imports of a type: a suggestion for the next
-- one. answers has at most three, the newest first, each with its import. No foreign key leads to
-- imports, which are purged earlier.
CREATE TABLE loadbay.past_answers (
    organisation_id bigint      NOT NULL REFERENCES loadbay.organisations,
    id              uuid        NOT NULL, -- a hash of import_type, field and the normalised text
    import_type     text        NOT NULL,
    field           text        NOT NULL, -- '' for a header
    text            text        NOT NULL,
    answers         jsonb       NOT NULL CHECK (jsonb_array_length(answers) BETWEEN 1 AND 3),
    answered_at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organisation_id, id)
);
CREATE INDEX past_answers_age ON loadbay.past_answers (organisation_id, answered_at, id);
CALL loadbay.isolate_tenants('loadbay.past_answers');
