-- +goose Up
-- Imports that take back what others have changed.

-- How much an undo takes back: see shared/undo.
ALTER TABLE import_jobs ADD COLUMN undo_mode text CHECK (undo_mode IN ('safe', 'cascade', 'force'));
ALTER TABLE import_jobs ADD CONSTRAINT import_jobs_undo_mode CHECK (undo_mode IS NULL OR purpose = 'UNDO');

-- In which order changes were made. A part gets its place while its transaction still
-- holds the entities that it changed: whoever changes one of them later has a later
-- place, whichever job either belongs to.
CREATE SEQUENCE import_changes_place;
ALTER TABLE import_changes ADD COLUMN place bigint NOT NULL DEFAULT nextval('import_changes_place');
GRANT USAGE ON SEQUENCE import_changes_place TO loadbay_app;
CREATE UNIQUE INDEX import_changes_places ON import_changes (place);

-- An entity that goes is looked for in what may refer to it: these columns had no index
-- that begins with them, so that each look read all of an organisation's.
CREATE INDEX memberships_person ON memberships (person_id);
CREATE INDEX event_participants_person ON event_participants (person_id);
CREATE INDEX results_participant ON results (participant_id);
