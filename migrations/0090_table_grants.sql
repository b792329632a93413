-- +goose Up
-- The tables for which an organisation may declare import types, with the rows that are its own. An
-- operator grants them: a declaration cannot choose a table, or rows, of another organisation. A grant
-- has a row for each of its organisations.
CREATE TABLE loadbay.table_grants (
    organisation_id    bigint      NOT NULL REFERENCES loadbay.organisations,
    id                 uuid        NOT NULL,
    every_organisation boolean     NOT NULL DEFAULT false, -- also those that are created later
    table_schema       text        NOT NULL,
    table_name         text        NOT NULL,
    tenant             jsonb       NOT NULL CHECK (jsonb_typeof(tenant) = 'object'), -- declared.Tenant
    modes              text[]      NOT NULL DEFAULT '{}',                            -- empty for all
    reference_only     boolean     NOT NULL DEFAULT false, -- types may refer to its rows, and not write them
    granted_by         text        NOT NULL DEFAULT '',    -- the caller's name in the token
    granted_at         timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organisation_id, id),
    CONSTRAINT table_grants_table_key UNIQUE (organisation_id, table_schema, table_name, reference_only, tenant)
);
CALL loadbay.isolate_tenants('loadbay.table_grants');
-- An organisation that may use all tables records those that its types use, so that the types can be
-- changed when it no longer may. It changes no grant, and deletes them only with itself.
REVOKE UPDATE ON loadbay.table_grants FROM loadbay_app;
CREATE TRIGGER require_confirmed_deletion BEFORE DELETE ON loadbay.table_grants FOR EACH ROW WHEN (current_user = 'loadbay_app')
    EXECUTE FUNCTION loadbay.require_confirmed_deletion('organisation_id');
CREATE POLICY operator ON loadbay.table_grants TO loadbay_operator USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, DELETE ON loadbay.table_grants TO loadbay_operator;

-- Types that exist can be changed and used as before. Row level security binds the owner, so it is lifted
-- to read them. The first part of a table's name may be in double quotes, as may the second.
ALTER TABLE loadbay.import_types NO FORCE ROW LEVEL SECURITY;
ALTER TABLE loadbay.import_type_versions NO FORCE ROW LEVEL SECURITY;
ALTER TABLE loadbay.organisations NO FORCE ROW LEVEL SECURITY;
ALTER TABLE loadbay.table_grants NO FORCE ROW LEVEL SECURITY;
INSERT INTO loadbay.table_grants (organisation_id, id, table_schema, table_name, tenant)
SELECT DISTINCT ON (v.organisation_id, v.adopted ->> 'Schema', v.adopted ->> 'Name', v.declaration -> 'tenant')
    v.organisation_id, gen_random_uuid(), v.adopted ->> 'Schema', v.adopted ->> 'Name', v.declaration -> 'tenant'
FROM loadbay.import_types AS t
JOIN loadbay.import_type_versions AS v ON v.organisation_id = t.organisation_id AND v.name = t.name AND v.version = t.version;

INSERT INTO loadbay.table_grants (organisation_id, id, table_schema, table_name, tenant, reference_only)
SELECT DISTINCT ON (r.organisation_id, r.table_schema, r.table_name, r.tenant)
    r.organisation_id, gen_random_uuid(), r.table_schema, r.table_name, r.tenant, true
FROM (
    SELECT v.organisation_id, coalesce(part[1], part[2]) AS table_schema, coalesce(part[3], part[4]) AS table_name,
        CASE
            WHEN f -> 'reference' ->> 'within' <> '' AND v.declaration -> 'tenant' ->> 'column' <> '' THEN
                jsonb_build_object('column', f -> 'reference' ->> 'within', 'value', v.declaration -> 'tenant' ->> 'value')
            WHEN f -> 'reference' ->> 'within' IS NULL AND v.declaration -> 'tenant' ? 'session' THEN
                jsonb_build_object('session', v.declaration -> 'tenant' -> 'session')
            ELSE '{"none": true}'
        END AS tenant
    FROM loadbay.import_types AS t
    JOIN loadbay.import_type_versions AS v ON v.organisation_id = t.organisation_id AND v.name = t.name AND v.version = t.version
    CROSS JOIN jsonb_array_elements(v.declaration -> 'fields') AS f
    CROSS JOIN regexp_match(f -> 'reference' ->> 'table', '^(?:"([^"]+)"|([^.]+))\.(?:"([^"]+)"|([^.]+))$') AS part
    WHERE part IS NOT NULL
) AS r;

-- whole_tables was set for the first organisation. From now on it is set while that is the only one;
-- whole_tables_granted is set by an operator.
ALTER TABLE loadbay.organisations ADD COLUMN whole_tables_granted boolean NOT NULL DEFAULT false;
UPDATE loadbay.organisations AS o
SET whole_tables_granted = true
WHERE o.whole_tables AND EXISTS (SELECT FROM loadbay.organisations AS e WHERE (e.created_at, e.id) < (o.created_at, o.id));
UPDATE loadbay.organisations
SET whole_tables = false
WHERE whole_tables AND NOT whole_tables_granted AND (SELECT count(*) FROM loadbay.organisations) > 1;
ALTER TABLE loadbay.import_types FORCE ROW LEVEL SECURITY;
ALTER TABLE loadbay.import_type_versions FORCE ROW LEVEL SECURITY;
ALTER TABLE loadbay.organisations FORCE ROW LEVEL SECURITY;
ALTER TABLE loadbay.table_grants FORCE ROW LEVEL SECURITY;

-- +goose StatementBegin
CREATE FUNCTION loadbay.add_organisation() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE loadbay.organisations SET whole_tables = false WHERE id <> NEW.id AND whole_tables AND NOT whole_tables_granted;
    INSERT INTO loadbay.table_grants (organisation_id, id, every_organisation, table_schema, table_name, tenant, modes, reference_only, granted_by, granted_at)
    SELECT DISTINCT ON (g.id) NEW.id, g.id, true, g.table_schema, g.table_name, g.tenant, g.modes, g.reference_only, g.granted_by, g.granted_at
    FROM loadbay.table_grants AS g
    WHERE g.every_organisation;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER add_organisation AFTER INSERT ON loadbay.organisations FOR EACH ROW EXECUTE FUNCTION loadbay.add_organisation();
