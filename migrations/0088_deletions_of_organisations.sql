-- +goose Up
-- The deletion of an organisation: requested by an administrator, confirmed with the organisation's name,
-- and carried out in many transactions by the function erase. The row remains as the receipt and names no
-- person then. No foreign key leads to organisations, which is deleted last. Ids are not used again.
CREATE TABLE loadbay.organisation_deletions (
    organisation_id bigint      PRIMARY KEY,
    requested_at    timestamptz NOT NULL DEFAULT now(),
    requested_by    text, -- the caller's name in the token; NULL once deleted
    other_person    boolean     NOT NULL DEFAULT false, -- another person has to confirm
    confirmed_at    timestamptz, -- since then nothing is accepted
    completed_at    timestamptz,
    deleted_rows    jsonb       NOT NULL DEFAULT '{}', -- their number by table
    deleted_objects bigint      NOT NULL DEFAULT 0,
    touched_at      timestamptz NOT NULL DEFAULT now(), -- went on, or was queued
    requeues        integer     NOT NULL DEFAULT 0 CHECK (requeues >= 0), -- since it went on
    CHECK (completed_at IS NULL OR confirmed_at IS NOT NULL AND requested_by IS NULL)
);
CREATE INDEX organisation_deletions_open ON loadbay.organisation_deletions (touched_at) WHERE confirmed_at IS NOT NULL AND completed_at IS NULL;
CALL loadbay.isolate_tenants('loadbay.organisation_deletions');

-- reconcile sees whose deletions make no progress. Operators see which ids are used.
CREATE POLICY maintenance ON loadbay.organisation_deletions TO loadbay_maintenance USING (true) WITH CHECK (true);
GRANT SELECT (organisation_id, confirmed_at, completed_at, touched_at, requeues), UPDATE (touched_at, requeues) ON loadbay.organisation_deletions TO loadbay_maintenance;
CREATE POLICY operator ON loadbay.organisation_deletions FOR SELECT TO loadbay_operator USING (true);
GRANT SELECT (organisation_id) ON loadbay.organisation_deletions TO loadbay_operator;

-- The functions never delete organisations and types, except those of a confirmed deletion.
-- +goose StatementBegin
CREATE FUNCTION loadbay.require_confirmed_deletion() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_user = 'loadbay_app' AND NOT EXISTS (
        SELECT FROM loadbay.organisation_deletions
        WHERE organisation_id = (to_jsonb(OLD) ->> TG_ARGV[0])::bigint AND confirmed_at IS NOT NULL
    ) THEN
        RAISE insufficient_privilege USING MESSAGE = format('%s is only deleted with its organisation', TG_TABLE_NAME);
    END IF;
    RETURN OLD;
END $$;
-- +goose StatementEnd
CREATE TRIGGER require_confirmed_deletion BEFORE DELETE ON loadbay.organisations FOR EACH ROW EXECUTE FUNCTION loadbay.require_confirmed_deletion('id');
CREATE TRIGGER require_confirmed_deletion BEFORE DELETE ON loadbay.import_types FOR EACH ROW EXECUTE FUNCTION loadbay.require_confirmed_deletion('organisation_id');
CREATE TRIGGER require_confirmed_deletion BEFORE DELETE ON loadbay.import_type_versions FOR EACH ROW EXECUTE FUNCTION loadbay.require_confirmed_deletion('organisation_id');
GRANT DELETE ON loadbay.organisations, loadbay.import_types, loadbay.import_type_versions TO loadbay_app;

-- A receipt remains.
-- +goose StatementBegin
CREATE FUNCTION loadbay.keep_receipt() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE insufficient_privilege USING MESSAGE = 'a confirmed deletion is not withdrawn';
END $$;
-- +goose StatementEnd
CREATE TRIGGER keep_receipt BEFORE DELETE ON loadbay.organisation_deletions FOR EACH ROW WHEN (OLD.confirmed_at IS NOT NULL) EXECUTE FUNCTION loadbay.keep_receipt();

-- All rows of an organisation are found by an index in each table.
CREATE INDEX purged_jobs_organisation ON loadbay.purged_jobs (organisation_id);
CREATE INDEX import_profile_versions_organisation ON loadbay.import_profile_versions (organisation_id);
