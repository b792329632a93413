-- +goose Up
-- Profiles: a named mapping with the options of its source, for files of one type that
-- come again. What is in use is a version; versions are only added.

CREATE TABLE import_profiles (
    id              uuid        PRIMARY KEY,
    organisation_id bigint      NOT NULL REFERENCES organisations,
    import_type     text        NOT NULL,
    name            text        NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    auto            boolean     NOT NULL DEFAULT false, -- a file with exactly its headers is read by it, without being told
    fingerprint     text        NOT NULL DEFAULT '' CHECK (fingerprint ~ '^([0-9a-f]{64})?$'), -- of the headers; '' where they are not known
    version         integer     NOT NULL CHECK (version > 0), -- the one in use
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    UNIQUE (organisation_id, id),
    CHECK (NOT auto OR fingerprint <> '')
);
CREATE UNIQUE INDEX import_profiles_name ON import_profiles (organisation_id, import_type, lower(name));
-- No file has two profiles that would take it by themselves.
CREATE UNIQUE INDEX import_profiles_auto ON import_profiles (organisation_id, import_type, fingerprint) WHERE auto;
CALL isolate_tenants('import_profiles');

CREATE TABLE import_profile_versions (
    profile_id      uuid        NOT NULL,
    organisation_id bigint      NOT NULL,
    version         integer     NOT NULL CHECK (version > 0),
    name            text        NOT NULL,
    auto            boolean     NOT NULL,
    headers         text[]      NOT NULL, -- those of the file that it was made for, in order; '{}': not known
    mapping         jsonb       NOT NULL, -- package mapping/document
    saved_from      uuid, -- import_jobs.uuid of the import that it was saved from; it may be purged by now
    saved_by        text        NOT NULL DEFAULT '', -- the caller, as the token names them; '': a migration
    created_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (profile_id, version),
    CONSTRAINT import_profile_versions_profile_fkey FOREIGN KEY (organisation_id, profile_id)
        REFERENCES import_profiles (organisation_id, id) ON DELETE CASCADE
);
CALL isolate_tenants('import_profile_versions');
-- A version never changes.
REVOKE UPDATE ON import_profile_versions FROM loadbay_app;

-- The profile that an import is read by. Its name and version stay when it is deleted, and
-- the id goes. No foreign key sees to that: who deletes a profile does, holding it.
ALTER TABLE import_jobs
    ADD COLUMN profile_id      uuid,
    ADD COLUMN profile_name    text,
    ADD COLUMN profile_version integer,
    ADD COLUMN profile_choice  text CHECK (profile_choice IN ('NAME', 'DROP_FOLDER', 'FINGERPRINT')),
    ADD CONSTRAINT import_jobs_profile_named CHECK ((profile_name IS NULL) = (profile_version IS NULL) AND (profile_id IS NULL OR profile_name IS NOT NULL));
CREATE INDEX import_jobs_profile ON import_jobs (profile_id, id DESC) WHERE profile_id IS NOT NULL;
