-- +goose Up
-- Options of imports that no statement filters or constrains are stored as one document, so that
-- an added option needs no column. Functions of the previous release ignore it.
ALTER TABLE import_jobs ADD COLUMN import_options jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(import_options) = 'object');
ALTER TABLE organisation_settings ADD COLUMN import_options jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(import_options) = 'object');
ALTER TABLE import_profile_versions ADD COLUMN import_options jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(import_options) = 'object');
