-- +goose Up
-- What the columns and values of one file stand for: matched by Loadbay, or
-- answered by people while the import asks.

CREATE TABLE import_column_mappings (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    job_id          bigint  NOT NULL REFERENCES import_jobs ON DELETE CASCADE,
    organisation_id bigint  NOT NULL,
    column_index    integer NOT NULL,
    source_header   text    NOT NULL,
    target_field    text,
    status          text    NOT NULL CHECK (status IN ('AUTO_MATCHED', 'MANUAL_MATCHED', 'UNRESOLVED', 'IGNORED')),
    confidence      real    NOT NULL DEFAULT 0,
    samples         text[]  NOT NULL DEFAULT '{}',
    confirmed       boolean NOT NULL DEFAULT false,
    UNIQUE (job_id, column_index)
);
-- Each target is taken once.
CREATE UNIQUE INDEX import_column_mappings_target ON import_column_mappings (job_id, target_field)
    WHERE target_field IS NOT NULL;
CALL isolate_tenants('import_column_mappings');
CALL admit_maintenance('import_column_mappings');

-- A value may be given an entity of its own, which is made when the first row
-- needs it: until then create_new is set and there is no target.
CREATE TABLE import_cell_mappings (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    job_id           bigint  NOT NULL REFERENCES import_jobs ON DELETE CASCADE,
    organisation_id  bigint  NOT NULL,
    target_field     text    NOT NULL,
    source_value     text    NOT NULL,
    status           text    NOT NULL CHECK (status IN ('AUTO_MATCHED', 'MANUAL_MATCHED', 'UNRESOLVED', 'IGNORED')),
    target_entity_id text,
    row_count        bigint  NOT NULL DEFAULT 0,
    first_row        bigint,
    confirmed        boolean NOT NULL DEFAULT false,
    create_new       boolean NOT NULL DEFAULT false,
    UNIQUE (job_id, target_field, source_value),
    CHECK (NOT create_new OR target_entity_id IS NULL)
);
CALL isolate_tenants('import_cell_mappings');
CALL admit_maintenance('import_cell_mappings');
