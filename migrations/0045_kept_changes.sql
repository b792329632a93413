-- +goose Up
-- What undos could not take back because it had been changed later: so that whatever
-- changed it later does not bring it back when it is undone in turn.

-- The value that an undone import had given a column of an entity, and the one to go back
-- to instead; a column of '' stands for the whole of an entity that was to go, with the
-- hash that it had and the columns that it was hashed by. It holds for changes with an earlier place (import_changes.place). An
-- undo changes this table as it changes entities, so that undoing it takes that back too.
CREATE TABLE kept_changes (
    id              bigint  NOT NULL DEFAULT nextval('import_changes_place') PRIMARY KEY,
    organisation_id bigint  NOT NULL,
    job_id          bigint  NOT NULL, -- the undo
    entity_table    text    NOT NULL CHECK (length(entity_table) <= 63),
    entity_id       text    NOT NULL CHECK (length(entity_id) <= 63),
    column_name     text    NOT NULL CHECK (length(column_name) <= 63),
    given           text,
    instead         text,
    applied         boolean NOT NULL DEFAULT false, -- a later undo has gone back to it
    CONSTRAINT kept_changes_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES import_jobs (organisation_id, id) ON DELETE CASCADE
);
CREATE INDEX kept_changes_job ON kept_changes (job_id);
CREATE INDEX kept_changes_entity ON kept_changes (entity_id, entity_table);
CALL isolate_tenants('kept_changes');
CALL admit_maintenance('kept_changes');
CALL capture_changes_of('kept_changes');
