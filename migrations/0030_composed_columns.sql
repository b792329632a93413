-- +goose Up
-- What a field is made of besides the one column of its row: further columns that are
-- joined to it, a constant in the place of columns, and the steps that change its text.
-- A row with a negative column_index stands for no column of its own: it is a constant,
-- or makes another field of columns that have rows already.
ALTER TABLE import_column_mappings
    ADD COLUMN more_columns integer[] NOT NULL DEFAULT '{}' CHECK (cardinality(more_columns) <= 20),
    ADD COLUMN separator    text      NOT NULL DEFAULT '' CHECK (length(separator) <= 20),
    ADD COLUMN constant     text      CHECK (constant IS NULL OR column_index < 0 AND cardinality(more_columns) = 0),
    ADD COLUMN transforms   jsonb     NOT NULL DEFAULT '[]';

-- The mapping that came with an import, or was put to it: shared/mapping/document. It
-- holds for columns and values that are still to be met.
CREATE TABLE import_given_mappings (
    job_id          bigint PRIMARY KEY,
    organisation_id bigint NOT NULL,
    document        jsonb  NOT NULL,
    FOREIGN KEY (organisation_id, job_id) REFERENCES import_jobs (organisation_id, id) ON DELETE CASCADE
);
CALL isolate_tenants('import_given_mappings');
CALL admit_maintenance('import_given_mappings');
