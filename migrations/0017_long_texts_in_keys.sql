-- +goose Up
-- A header or value may be longer than an index entry can be (2,704 bytes), so
-- the keys hold its MD5. Queries name it too, and compare the texts themselves:
-- two texts with one MD5 share an entry of the index and nothing else.

ALTER TABLE import_cell_mappings DROP CONSTRAINT import_cell_mappings_job_id_target_field_source_value_key;
CREATE UNIQUE INDEX import_cell_mappings_value_key ON import_cell_mappings (job_id, target_field, md5(source_value));

ALTER TABLE import_column_decisions DROP CONSTRAINT import_column_decisions_organisation_id_import_type_header__key;
CREATE UNIQUE INDEX import_column_decisions_header_key ON import_column_decisions (organisation_id, import_type, md5(header_key));

ALTER TABLE import_cell_decisions DROP CONSTRAINT import_cell_decisions_organisation_id_import_type_target_fi_key;
CREATE UNIQUE INDEX import_cell_decisions_value_key ON import_cell_decisions (organisation_id, import_type, target_field, md5(value_key));
