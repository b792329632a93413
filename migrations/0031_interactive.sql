-- +goose Up
-- What people answer while an import asks.

-- A value may be given an entity of its own, which is made when the first row
-- needs it: until then create_new is set and there is no target. The same holds
-- for what is remembered of such an answer.
ALTER TABLE import_cell_mappings
    ADD COLUMN create_new boolean NOT NULL DEFAULT false,
    ADD CHECK (NOT create_new OR target_entity_id IS NULL);
ALTER TABLE import_cell_decisions
    ADD COLUMN create_new boolean NOT NULL DEFAULT false,
    ADD CHECK (NOT create_new OR target_entity_id IS NULL);

-- Events tell of jobs that have come to rest, and so do the answers of the API:
-- those that rest already do too. The owner is under row level security as well.
ALTER TABLE import_jobs NO FORCE ROW LEVEL SECURITY;
UPDATE import_jobs SET announced = true WHERE status IN ('COLUMN_MAPPING', 'CELL_MAPPING');
ALTER TABLE import_jobs FORCE ROW LEVEL SECURITY;

-- Files call a membership type by its name without regard to case, so that is what
-- is unique. The index takes the place of the constraint: with both, two who make
-- the same type at once could collide in the one that ON CONFLICT does not name.
CREATE UNIQUE INDEX membership_types_name ON membership_types (organisation_id, lower(name));
ALTER TABLE membership_types DROP CONSTRAINT membership_types_organisation_id_name_key;

-- Imports that purge has deleted: for a while, whoever comes back to one hears that
-- it is gone, and not that it never was.
CREATE TABLE purged_jobs (
    uuid            uuid        PRIMARY KEY,
    organisation_id bigint      NOT NULL,
    purged_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX purged_jobs_age ON purged_jobs (purged_at);
CALL isolate_tenants('purged_jobs');
CALL admit_maintenance('purged_jobs');
GRANT INSERT ON purged_jobs TO loadbay_maintenance;
