-- +goose Up
-- Whoever has created or rotated an API key has seen it, and could have sent what it sent: such a person
-- is not somebody else who may approve it.
ALTER TABLE loadbay.api_keys ADD COLUMN rotated_by text[] NOT NULL DEFAULT '{}';
