-- +goose Up
-- A note holds for changes that were made after the one that was undone, and before the
-- note: those before it had not met the value that it gave.
ALTER TABLE kept_changes ADD COLUMN since bigint NOT NULL DEFAULT 0;
