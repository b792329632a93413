-- +goose Up
-- What one organisation may hold of what all share. NULL: what the functions are
-- configured with. Only the owner changes them, as the organisation itself.
ALTER TABLE organisations
    ADD COLUMN max_open_imports        bigint CHECK (max_open_imports >= 0),        -- that have not ended
    ADD COLUMN max_announced_bytes     bigint CHECK (max_announced_bytes >= 0),     -- of the files of those
    ADD COLUMN max_open_exports        bigint CHECK (max_open_exports >= 0),        -- that have not ended
    ADD COLUMN max_streams             bigint CHECK (max_streams >= 0),             -- exports streamed at the same time
    ADD COLUMN max_requests_per_minute bigint CHECK (max_requests_per_minute >= 0); -- of the API

-- Imports and exports that have not ended are counted when another one is made; there
-- are never more of them than the quota says.
CREATE INDEX import_jobs_quota ON import_jobs (organisation_id, size_bytes)
    WHERE status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED');
CREATE INDEX export_jobs_quota ON export_jobs (organisation_id) WHERE status IN ('pending', 'processing');

-- One row an organisation. Who is about to take something that is counted locks it
-- first, so that two at once cannot both take the last one. No foreign key: a token
-- may name an organisation that is not there yet.
CREATE TABLE organisation_usage (
    organisation_id bigint      PRIMARY KEY,
    window_start    timestamptz NOT NULL DEFAULT '-infinity', -- the minute that requests were last given out for
    requests        bigint      NOT NULL DEFAULT 0,           -- given out in that minute, in portions
    granted         bigint      NOT NULL DEFAULT 0            -- the last portion
);
CALL isolate_tenants('organisation_usage');

-- Exports that are being streamed. A stream that dies leaves its slot to expire.
CREATE TABLE stream_slots (
    id              uuid        PRIMARY KEY,
    organisation_id bigint      NOT NULL,
    expires_at      timestamptz NOT NULL
);
CREATE INDEX stream_slots_organisation ON stream_slots (organisation_id);
CALL isolate_tenants('stream_slots');
