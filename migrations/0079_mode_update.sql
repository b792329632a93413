-- +goose Up
-- In mode update, rows change entries that exist and create none.
ALTER TABLE loadbay.import_jobs DROP CONSTRAINT import_jobs_mode_check;
ALTER TABLE loadbay.import_jobs ADD CONSTRAINT import_jobs_mode_check CHECK (mode IN ('insert', 'upsert', 'update'));
ALTER TABLE loadbay.organisation_settings DROP CONSTRAINT organisation_settings_mode_check;
ALTER TABLE loadbay.organisation_settings ADD CONSTRAINT organisation_settings_mode_check CHECK (mode IN ('insert', 'upsert', 'update'));
