-- +goose Up
-- Slots limit what one organisation does at a time: besides streams also fetches, webhook calls and
-- requests that wait.
ALTER TABLE stream_slots ADD COLUMN kind text NOT NULL DEFAULT 'stream';

-- A webhook whose server does not answer several times in a row is not called for a while.
ALTER TABLE webhooks
    ADD COLUMN unanswered integer NOT NULL DEFAULT 0,
    ADD COLUMN paused_until timestamptz;
