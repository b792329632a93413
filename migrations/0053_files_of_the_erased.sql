-- +goose Up
-- Somebody has been erased who may be in the files of an organisation. files_due has the
-- next purge delete those of an import that has ended, purge_due an export with its file.
ALTER TABLE import_jobs ADD COLUMN files_due boolean NOT NULL DEFAULT false;
ALTER TABLE export_jobs ADD COLUMN purge_due boolean NOT NULL DEFAULT false;

-- Versions of profiles never change, but for what they say of values of somebody who has
-- been erased.
GRANT UPDATE (mapping) ON import_profile_versions TO loadbay_app;
