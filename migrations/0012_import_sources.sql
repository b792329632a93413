-- +goose Up

-- Where the file of an import is to be fetched from. An address may hold a
-- signature, so it stands here and nowhere else: not in a message, not in a log.
CREATE TABLE import_sources (
    job_id          bigint NOT NULL PRIMARY KEY REFERENCES import_jobs ON DELETE CASCADE,
    organisation_id bigint NOT NULL,
    url             text   NOT NULL CHECK (length(url) <= 8192)
);
CALL isolate_tenants('import_sources');
CALL admit_maintenance('import_sources');
