-- +goose Up
-- Each chunk looks up what was said of the values that it holds, and of those that differ from
-- them in case alone: an entity that is made of them has one name. Row level security keeps the
-- planner from using an index on an expression of them, so that each chunk read all values of
-- its file. What it compares with is a column of its own.
ALTER TABLE import_cell_mappings ADD COLUMN alike uuid NOT NULL GENERATED ALWAYS AS (md5(lower(source_value))::uuid) STORED;
CREATE INDEX import_cell_mappings_alike ON import_cell_mappings (job_id, target_field, alike);

-- A part of a file of results looks up what its participants have in its categories. The other
-- index, of the whole event, must not look as good: so all that is compared is in this one.
CREATE INDEX results_of_participant ON results (participant_id, organisation_id, event_id, category_id);
DROP INDEX results_participant;
