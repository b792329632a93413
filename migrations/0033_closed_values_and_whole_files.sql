-- +goose Up
-- Values of fields that take one of a few words are mapped like those of references: to
-- the word itself. Any value may come to stand for no value.
ALTER TABLE import_cell_mappings
    ADD COLUMN target_value text,                          -- what is taken instead of the value: a word of an enum, true or false, a name of a list
    ADD COLUMN leave_empty  boolean NOT NULL DEFAULT false; -- the field gets no value

-- Files that are read as one may ask as well. NULL, of imports made before they could,
-- means what whole_file says.
ALTER TABLE import_jobs ADD COLUMN skip_mapping_phases boolean;

-- How an organisation gives points for results, beside what Loadbay has built in or
-- instead of it.
CREATE TABLE points_calculators (
    organisation_id bigint  NOT NULL REFERENCES organisations,
    code            text    NOT NULL CHECK (length(code) BETWEEN 1 AND 50),
    class_name      text    CHECK (length(class_name) BETWEEN 1 AND 200), -- another name for it: that of a Java class
    definition      jsonb   NOT NULL,                                     -- points.Calculator, whole
    PRIMARY KEY (organisation_id, code),
    UNIQUE (organisation_id, class_name)
);
CALL isolate_tenants('points_calculators');
