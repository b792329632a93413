-- +goose Up
-- API keys of an organisation, for programs without an identity provider. Only hashes of the random
-- keys are stored. Revoked and expired keys are kept for a while, so that the list shows who used them.
CREATE TABLE loadbay.api_keys (
    organisation_id bigint      NOT NULL REFERENCES loadbay.organisations,
    id              uuid        NOT NULL,
    name            text        NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    scopes          text[]      NOT NULL CHECK (cardinality(scopes) BETWEEN 1 AND 50),
    hash            bytea       NOT NULL CHECK (length(hash) = 32),
    previous_hash   bytea       CHECK (length(previous_hash) = 32), -- accepted until previous_until
    previous_until  timestamptz,
    created_by      text        NOT NULL DEFAULT '', -- the caller's name in the token
    created_at      timestamptz NOT NULL DEFAULT now(),
    rotated_at      timestamptz,
    expires_at      timestamptz NOT NULL,
    last_used_at    timestamptz,
    revoked_at      timestamptz,
    revoked_by      text,
    PRIMARY KEY (organisation_id, id),
    CHECK ((previous_hash IS NULL) = (previous_until IS NULL)),
    CHECK ((revoked_at IS NULL) = (revoked_by IS NULL))
);
CREATE UNIQUE INDEX api_keys_name ON loadbay.api_keys (organisation_id, lower(name)) WHERE revoked_at IS NULL;
CALL loadbay.isolate_tenants('loadbay.api_keys');
