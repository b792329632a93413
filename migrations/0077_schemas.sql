-- +goose Up
-- Loadbay's tables leave `public`, which belongs to the database's other users: its own are in the
-- schema loadbay, those of the import types that come with it, and of types that somebody has
-- added, in the schema sample (docs/decisions/0040). A new database has never had them in `public`: its migrations run with
-- loadbay as the current schema. In a database of an earlier release the current schema is `public`.
--
-- Sessions of that release find the tables by their search path, which shared/postgres/schema sets
-- before. OIDs stay, so foreign keys, policies, views, triggers and prepared statements follow.

-- +goose StatementBegin
DO $$
DECLARE
    home CONSTANT name := current_schema();
    own  CONSTANT name[] := '{
        goose_db_version, organisations, import_jobs, import_sources, purged_jobs, import_column_mappings,
        import_cell_mappings, import_column_decisions, import_cell_decisions, import_chunks, import_row_results,
        export_jobs, job_events, webhooks, webhook_deliveries, organisation_usage, stream_slots,
        import_given_mappings, import_last_rows, import_row_corrections, organisation_settings, event_mails,
        quarantined_drops, import_profiles, import_profile_versions, import_changes, import_changes_place,
        import_plan_changes, kept_changes, import_repeated_rows, person_erasures, import_undo_retries, import_undos}';
    ours CONSTANT oid[] := ARRAY(
        SELECT oid
        FROM pg_class
        WHERE relnamespace = home::regnamespace AND relkind IN ('r', 'p', 'v', 'S')
          AND (relname = ANY (own) OR EXISTS (SELECT FROM aclexplode(relacl) WHERE grantee = 'loadbay_app'::regrole))
          AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype IN ('i', 'a'))
        ORDER BY oid);
    it   record;
BEGIN
    -- All locks before the first change, so that a table that is not free at once costs nothing.
    EXECUTE (
        SELECT 'LOCK TABLE ' || string_agg(format('%I.%I', home, relname), ', ' ORDER BY oid) || ' IN ACCESS EXCLUSIVE MODE'
        FROM pg_class
        WHERE oid = ANY (ours) AND relkind IN ('r', 'p'));
    FOR it IN
        SELECT format('ALTER %s %I.%I SET SCHEMA %I', CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
                      home, relname, CASE WHEN relname = ANY (own) THEN 'loadbay' ELSE 'sample' END) AS sql
        FROM pg_class
        WHERE oid = ANY (ours)
        ORDER BY oid
    LOOP
        EXECUTE it.sql;
    END LOOP;
    IF home <> 'loadbay' THEN
        FOR it IN
            SELECT format('ALTER ROUTINE %I.%s SET SCHEMA loadbay', home, signature) AS sql
            FROM unnest('{current_organisation(),isolate_tenants(regclass),admit_maintenance(regclass),forget_plans(),
                assume_organisations(regclass),admit_operator(regclass),capture_changes(),capture_changes_of(regclass),
                "without_values(jsonb,text[],text[])","let_oversee(regclass,text)"}'::text[]) AS signature
        LOOP
            EXECUTE it.sql;
        END LOOP;
        EXECUTE format('REVOKE USAGE ON SCHEMA %I FROM loadbay_app, loadbay_maintenance, loadbay_operator', home);
        -- If the previous release is deployed again, its migrations find what is theirs here.
        EXECUTE format('ALTER ROLE %I IN DATABASE %I SET search_path = loadbay, sample, %I, pg_temp', current_user, current_database(), home);
    END IF;
END $$;
-- +goose StatementEnd

GRANT USAGE ON SCHEMA loadbay, sample TO loadbay_app, loadbay_maintenance, loadbay_operator;

-- Functions that name what they use: a caller's search path decides nothing in them.
CREATE OR REPLACE FUNCTION loadbay.current_organisation() RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    RETURN nullif(current_setting('app.organisation', true), '')::bigint;

-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE loadbay.assume_organisations(t regclass) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ALTER COLUMN organisation_id SET (n_distinct = 200)', t);
    EXECUTE format('ALTER TABLE %s SET (autovacuum_analyze_threshold = 1000, autovacuum_vacuum_threshold = 1000)', t);
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE loadbay.isolate_tenants(t regclass) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %s TO loadbay_app
                        USING (organisation_id = (SELECT loadbay.current_organisation()))
                        WITH CHECK (organisation_id = (SELECT loadbay.current_organisation()))', t);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO loadbay_app', t);
    CALL loadbay.assume_organisations(t);
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE loadbay.admit_operator(t regclass) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('CREATE POLICY operator ON %s TO loadbay_operator
                        USING (organisation_id = (SELECT loadbay.current_organisation()))
                        WITH CHECK (organisation_id = (SELECT loadbay.current_organisation()))', t);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE ON %s TO loadbay_operator', t);
END $$;
-- +goose StatementEnd

ALTER PROCEDURE loadbay.admit_maintenance(regclass) SET search_path = pg_catalog, pg_temp;
ALTER PROCEDURE loadbay.let_oversee(regclass, text) SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION loadbay.forget_plans() SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION loadbay.capture_changes() SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION loadbay.without_values(jsonb, text[], text[]) SET search_path = loadbay, pg_temp;

-- Outside an import, a statement does not even call the function. Its writer needs no right in
-- loadbay: Postgres asks for the right to execute a trigger's function when the trigger is created.
-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE loadbay.capture_changes_of(t regclass) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('CREATE OR REPLACE TRIGGER capture_inserts AFTER INSERT ON %s REFERENCING NEW TABLE AS fresh
                        FOR EACH STATEMENT WHEN (current_setting(''app.capture'', true) <> '''') EXECUTE FUNCTION loadbay.capture_changes()', t);
    EXECUTE format('CREATE OR REPLACE TRIGGER capture_updates AFTER UPDATE ON %s REFERENCING OLD TABLE AS stale NEW TABLE AS fresh
                        FOR EACH STATEMENT WHEN (current_setting(''app.capture'', true) <> '''') EXECUTE FUNCTION loadbay.capture_changes()', t);
    EXECUTE format('CREATE OR REPLACE TRIGGER capture_deletes AFTER DELETE ON %s REFERENCING OLD TABLE AS stale
                        FOR EACH STATEMENT WHEN (current_setting(''app.capture'', true) <> '''') EXECUTE FUNCTION loadbay.capture_changes()', t);
END $$;
-- +goose StatementEnd

-- Until the functions of the previous release are replaced, they look for the tables of a change set
-- in `public`, and would keep every value of an undo because they find none. A view without the
-- columns makes such an undo or plan fail, to be repeated by the new functions. A later migration
-- drops the views.
-- +goose StatementBegin
DO $$
DECLARE
    t regclass;
BEGIN
    FOR t IN SELECT DISTINCT tgrelid FROM pg_trigger WHERE tgfoid = 'loadbay.capture_changes()'::regprocedure AND NOT tgisinternal LOOP
        CALL loadbay.capture_changes_of(t);
        IF current_schema() <> 'loadbay' THEN
            EXECUTE format('CREATE VIEW %1$I.%2$I AS SELECT NULL::text AS moved_by_loadbay',
                current_schema(), (SELECT relname FROM pg_class WHERE oid = t));
            EXECUTE format('CREATE TRIGGER capture_inserts INSTEAD OF INSERT ON %1$I.%2$I FOR EACH ROW EXECUTE FUNCTION loadbay.capture_changes()',
                current_schema(), (SELECT relname FROM pg_class WHERE oid = t));
        END IF;
    END LOOP;
END $$;
-- +goose StatementEnd
