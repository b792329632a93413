-- +goose Up
-- Who makes organisations, and what their files refer to. loadbay_operator works for
-- the operator of the whole installation: it sees and names every organisation, and
-- adds periods, membership types, events and categories to the one that its
-- transaction names. It sees no entities and no imports, and deletes nothing.

GRANT USAGE ON SCHEMA public TO loadbay_operator;

-- Lets the operator keep a table that organisations' files refer to, for the
-- organisation that the transaction names.
-- +goose StatementBegin
CREATE PROCEDURE admit_operator(t regclass) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE POLICY operator ON %s TO loadbay_operator
                        USING (organisation_id = (SELECT current_organisation()))
                        WITH CHECK (organisation_id = (SELECT current_organisation()))', t);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE ON %s TO loadbay_operator', t);
END $$;
-- +goose StatementEnd

-- deactivated_at: since then, nothing new is imported or exported.
ALTER TABLE organisations
    ADD COLUMN updated_at     timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN deactivated_at timestamptz;
CREATE POLICY operator ON organisations TO loadbay_operator USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON organisations TO loadbay_operator;

CALL admit_operator('membership_periods');
CALL admit_operator('membership_types');
CALL admit_operator('events');
CALL admit_operator('event_categories');

-- A name is how a request that is sent again is recognised, and how files name an
-- event. Until now nothing kept two from having the same one: those get their id too.
-- Row level security binds the owner, so it is lifted to see them.
ALTER TABLE organisations NO FORCE ROW LEVEL SECURITY;
UPDATE organisations AS o SET name = o.name || ' ' || o.id
WHERE EXISTS (SELECT FROM organisations AS e WHERE lower(e.name) = lower(o.name) AND e.id < o.id);
ALTER TABLE organisations FORCE ROW LEVEL SECURITY;
CREATE UNIQUE INDEX organisations_name ON organisations (lower(name));

ALTER TABLE events NO FORCE ROW LEVEL SECURITY;
UPDATE events AS v SET name = v.name || ' ' || v.id
WHERE EXISTS (SELECT FROM events AS e WHERE e.organisation_id = v.organisation_id AND e.name = v.name AND e.id < v.id);
ALTER TABLE events FORCE ROW LEVEL SECURITY;
ALTER TABLE events ADD CONSTRAINT events_name_key UNIQUE (organisation_id, name);

-- They are imported too: 0010_users.sql says what these columns hold.
ALTER TABLE membership_periods ADD COLUMN source_job bigint, ADD COLUMN source_row bigint, ADD COLUMN source_cells integer[];
ALTER TABLE events             ADD COLUMN source_job bigint, ADD COLUMN source_row bigint, ADD COLUMN source_cells integer[];
ALTER TABLE event_categories   ADD COLUMN source_job bigint, ADD COLUMN source_row bigint, ADD COLUMN source_cells integer[];

-- Checks of the foreign key (organisation_id, event_id, id) took the index on the names,
-- which began as theirs does, and read all categories of the event for each participant.
DROP INDEX event_categories_name;
CREATE UNIQUE INDEX event_categories_name ON event_categories (organisation_id, lower(name), event_id);
