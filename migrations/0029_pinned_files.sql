-- +goose Up
-- Which version of its object an import is about: what is stored in its place after
-- somebody has looked at it is another file. '' until it has arrived or been analysed.

ALTER TABLE import_jobs ADD COLUMN object_etag text NOT NULL DEFAULT '' CHECK (length(object_etag) <= 1024);
