-- +goose Up
-- Who may see what. Two roles work with the tables: loadbay_app for one
-- organisation a transaction, loadbay_maintenance (reconcile and purge) for the
-- bookkeeping of all. Neither owns a table, so neither can switch row level
-- security off. They are made before the migrations (shared/postgres/schema): roles
-- belong to the whole cluster, and have passwords on some machines.
--
-- Every table of a tenant carries organisation_id and is under row level
-- security: a transaction names its organisation once, and sees and writes that
-- organisation's rows only.

GRANT USAGE ON SCHEMA public TO loadbay_app, loadbay_maintenance;

-- The organisation that this transaction works for; NULL, which no row
-- matches, when it has named none.
CREATE FUNCTION current_organisation() RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN nullif(current_setting('app.organisation', true), '')::bigint;

-- Puts a table under row level security for tenants. FORCE binds the owner too.
-- The subselect makes Postgres ask for the organisation once a statement instead
-- of once a row.
-- +goose StatementBegin
CREATE PROCEDURE isolate_tenants(t regclass) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %s TO loadbay_app
                        USING (organisation_id = (SELECT current_organisation()))
                        WITH CHECK (organisation_id = (SELECT current_organisation()))', t);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO loadbay_app', t);
END $$;
-- +goose StatementEnd

-- Lets maintenance (reconcile, purge) see a bookkeeping table of all
-- organisations. Never called for a table that holds entities.
-- +goose StatementBegin
CREATE PROCEDURE admit_maintenance(t regclass) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE POLICY maintenance ON %s TO loadbay_maintenance USING (true) WITH CHECK (true)', t);
    EXECUTE format('GRANT SELECT, UPDATE, DELETE ON %s TO loadbay_maintenance', t);
END $$;
-- +goose StatementEnd

-- The tenants. Only the owner adds one: their ids come with the callers' tokens.
CREATE TABLE organisations (
    id         bigint      PRIMARY KEY,
    name       text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE organisations ENABLE ROW LEVEL SECURITY;
ALTER TABLE organisations FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON organisations TO loadbay_app USING (id = (SELECT current_organisation()));
GRANT SELECT ON organisations TO loadbay_app;
