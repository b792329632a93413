-- +goose Up
-- What an organisation wants of its imports where a request says nothing. NULL: nothing.
-- review and mode are what a request would say; the others, what is assumed where a
-- file leaves it open how it is read.

CREATE TABLE organisation_settings (
    organisation_id bigint      PRIMARY KEY REFERENCES organisations (id),
    review          text        CHECK (review IN ('always', 'unsure', 'never')),
    mode            text        CHECK (mode IN ('insert', 'upsert')),
    date_order      text        CHECK (date_order IN ('dmy', 'mdy', 'ymd')),
    decimal_mark    text        CHECK (decimal_mark IN ('.', ',')),
    encoding        text        CHECK (length(encoding) <= 40),
    time_zone       text        CHECK (length(time_zone) <= 64),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    updated_by      text        NOT NULL DEFAULT '' -- the subject of the token
);
CALL isolate_tenants('organisation_settings');
