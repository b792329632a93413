-- +goose Up
-- Import types that an organisation declares for tables of its own. One version is in use; versions
-- are only added. A type is retired, never deleted, because imports, plans and changes refer to it.
CREATE TABLE loadbay.import_types (
    organisation_id bigint      NOT NULL REFERENCES loadbay.organisations,
    name            text        NOT NULL CHECK (name ~ '^[A-Z][A-Z0-9_]{0,62}$'),
    version         integer     NOT NULL CHECK (version > 0), -- the one in use
    created_at      timestamptz NOT NULL DEFAULT now(),
    retired_at      timestamptz,
    PRIMARY KEY (organisation_id, name)
);
CALL loadbay.isolate_tenants('loadbay.import_types');
REVOKE DELETE ON loadbay.import_types FROM loadbay_app;

CREATE TABLE loadbay.import_type_versions (
    organisation_id bigint      NOT NULL,
    name            text        NOT NULL,
    version         integer     NOT NULL CHECK (version > 0),
    declaration     jsonb       NOT NULL CHECK (jsonb_typeof(declaration) = 'object'), -- declared.Declaration
    adopted         jsonb       NOT NULL CHECK (jsonb_typeof(adopted) = 'object'),     -- pgtable.Table as it was
    saved_by        text        NOT NULL DEFAULT '', -- the caller's name in the token
    created_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organisation_id, name, version),
    CONSTRAINT import_type_versions_type_fkey FOREIGN KEY (organisation_id, name) REFERENCES loadbay.import_types
);
CALL loadbay.isolate_tenants('loadbay.import_type_versions');
REVOKE UPDATE, DELETE ON loadbay.import_type_versions FROM loadbay_app;

-- The version that an import or export started with; NULL for types that are compiled.
ALTER TABLE loadbay.import_jobs ADD COLUMN type_version integer CHECK (type_version > 0);
ALTER TABLE loadbay.export_jobs ADD COLUMN type_version integer CHECK (type_version > 0);

-- Whether an organisation may declare types for tables without a tenant's column, whose rows are all
-- its own. The only organisation may; an operator allows it to others. Row level security binds the
-- owner, so it is lifted to count them.
ALTER TABLE loadbay.organisations ADD COLUMN whole_tables boolean NOT NULL DEFAULT false;
ALTER TABLE loadbay.organisations NO FORCE ROW LEVEL SECURITY;
UPDATE loadbay.organisations SET whole_tables = true WHERE (SELECT count(*) FROM loadbay.organisations) = 1;
ALTER TABLE loadbay.organisations FORCE ROW LEVEL SECURITY;

-- +goose StatementBegin
CREATE FUNCTION loadbay.allow_whole_tables() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.whole_tables := NEW.whole_tables OR NOT EXISTS (SELECT FROM loadbay.organisations);
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER allow_whole_tables BEFORE INSERT ON loadbay.organisations FOR EACH ROW EXECUTE FUNCTION loadbay.allow_whole_tables();
