-- +goose Up
-- An erasure that nobody asks for again is gone on with by the function erase. reconcile
-- brings it there, as it brings exports: it sees whose erasures stand still, and nothing
-- of what is known of the persons.
ALTER TABLE person_erasures
    ADD COLUMN touched_at timestamptz NOT NULL DEFAULT now(), -- went on, or was queued
    ADD COLUMN requeues   integer     NOT NULL DEFAULT 0 CHECK (requeues >= 0); -- since it went on
CREATE POLICY maintenance ON person_erasures TO loadbay_maintenance USING (true) WITH CHECK (true);
GRANT SELECT (organisation_id, person_id, touched_at, requeues), UPDATE (touched_at, requeues) ON person_erasures TO loadbay_maintenance;
