-- +goose Up
-- reconcile and purge need the keys of what they delete and the times of what they queue, not the
-- values of all organisations' rows. A function of the previous release deletes rows by their ctid
-- as well, so nothing changes for it.
-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE admit_maintenance(t regclass) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE POLICY maintenance ON %s TO loadbay_maintenance USING (true) WITH CHECK (true)', t);
    EXECUTE format('GRANT SELECT (ctid, job_id), DELETE ON %s TO loadbay_maintenance', t);
END $$;
-- +goose StatementEnd

-- Also the tables that import types of one's own have added.
-- +goose StatementBegin
DO $$
DECLARE
    t regclass;
BEGIN
    FOR t IN
        SELECT p.polrelid FROM pg_policy AS p
        JOIN pg_attribute AS a ON a.attrelid = p.polrelid AND a.attname = 'job_id' AND NOT a.attisdropped
        WHERE p.polname = 'maintenance' AND p.polrelid <> 'job_events'::regclass
    LOOP
        EXECUTE format('REVOKE SELECT, UPDATE ON %s FROM loadbay_maintenance', t);
        EXECUTE format('GRANT SELECT (ctid, job_id) ON %s TO loadbay_maintenance', t);
    END LOOP;
END $$;
-- +goose StatementEnd
GRANT SELECT (organisation_id, touched_at, requeues), UPDATE (touched_at, requeues) ON import_sources TO loadbay_maintenance;
GRANT SELECT (event_id, organisation_id, export_id, status, created_at, next_attempt_at, queued_at), UPDATE (queued_at) ON webhook_deliveries TO loadbay_maintenance;
REVOKE SELECT, UPDATE ON quarantined_drops FROM loadbay_maintenance;
GRANT SELECT (quarantined_at) ON quarantined_drops TO loadbay_maintenance;
