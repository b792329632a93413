-- +goose Up
-- What people decided about headers and values, for later files of the
-- organisation. The key is the normalised form of what was written (package
-- mapping); the text as written stands beside it, so that keys can be made anew.

CREATE TABLE import_column_decisions (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organisation_id bigint      NOT NULL REFERENCES organisations,
    import_type     text        NOT NULL,
    header_key      text        NOT NULL,
    header          text        NOT NULL,
    target_field    text, -- NULL: the column is ignored
    decided_at      timestamptz NOT NULL DEFAULT now(),
    UNIQUE (organisation_id, import_type, header_key)
);
CALL isolate_tenants('import_column_decisions');

CREATE TABLE import_cell_decisions (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organisation_id  bigint      NOT NULL REFERENCES organisations,
    import_type      text        NOT NULL,
    target_field     text        NOT NULL,
    value_key        text        NOT NULL,
    source_value     text        NOT NULL,
    target_entity_id text, -- NULL: rows with the value are skipped, unless create_new
    decided_at       timestamptz NOT NULL DEFAULT now(),
    create_new       boolean     NOT NULL DEFAULT false, -- the value gets an entity of its own, as in import_cell_mappings
    UNIQUE (organisation_id, import_type, target_field, value_key),
    CHECK (NOT create_new OR target_entity_id IS NULL)
);
CALL isolate_tenants('import_cell_decisions');
