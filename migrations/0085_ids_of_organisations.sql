-- +goose Up
-- Ids that callers see came from sequences that all organisations share, so that two of them showed how
-- much others had done in between. Now each organisation has a sequence of its own for each table:
-- unlike a counter in a row, a sequence is not locked until the transaction ends. Ids are
-- unique within an organisation. Those that exist stay.
--
-- The previous release names no ids when it inserts rows, but copies those of mappings to the
-- retries of an import, for which their key has the job. Plans that wait have ids from the
-- former sequences, and undone imports may come back with theirs: new ids are above all of these.

-- The id of a row that is inserted: the organisation is that of the transaction. Without one it is
-- NULL, and the trigger number_row takes the organisation of the row. Postgres inlines the function.
CREATE FUNCTION loadbay.next_id(of text) RETURNS bigint LANGUAGE sql VOLATILE
RETURN nextval(('loadbay."ids_of_' || nullif(current_setting('app.organisation', true), '')::bigint::text || '_' || of || '"')::regclass);

-- +goose StatementBegin
CREATE FUNCTION loadbay.number_row() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.id := nextval(format('loadbay.%I', format('ids_of_%s_%s', NEW.organisation_id, TG_TABLE_NAME))::regclass);
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- A sequence outlives its organisation, so that no id is ever used again.
-- +goose StatementBegin
CREATE PROCEDURE loadbay.create_ids(organisation bigint, of name, first bigint) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    name CONSTANT text := format('ids_of_%s_%s', organisation, of);
BEGIN
    EXECUTE format('CREATE SEQUENCE IF NOT EXISTS loadbay.%I START WITH %s', name, first);
    EXECUTE format('GRANT USAGE ON SEQUENCE loadbay.%I TO loadbay_app, loadbay_operator', name);
END $$;
-- +goose StatementEnd

-- Counts the ids of a table for each organisation, from a number on. Row level security binds the
-- owner, so it is lifted to see all organisations.
-- +goose StatementBegin
CREATE PROCEDURE loadbay.number_rows_of(t regclass, first bigint DEFAULT 1) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    numbered CONSTANT name := (SELECT relname FROM pg_class WHERE oid = t);
    found    bigint;
BEGIN
    EXECUTE format('ALTER TABLE %s ALTER COLUMN id SET DEFAULT loadbay.next_id(%L)', t, numbered);
    EXECUTE format('CREATE OR REPLACE TRIGGER number_row BEFORE INSERT ON %s
                        FOR EACH ROW WHEN (NEW.id IS NULL) EXECUTE FUNCTION loadbay.number_row()', t);
    ALTER TABLE loadbay.organisations NO FORCE ROW LEVEL SECURITY;
    FOR found IN SELECT id FROM loadbay.organisations LOOP
        CALL loadbay.create_ids(found, numbered, first);
    END LOOP;
    ALTER TABLE loadbay.organisations FORCE ROW LEVEL SECURITY;
END $$;
-- +goose StatementEnd

-- Only the owner of the schema can create sequences in it, and an operator creates organisations.
-- +goose StatementBegin
CREATE FUNCTION loadbay.create_ids_of_organisation() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    numbered name;
BEGIN
    FOR numbered IN SELECT relname FROM pg_class JOIN pg_trigger ON tgrelid = pg_class.oid WHERE tgfoid = 'loadbay.number_row()'::regprocedure ORDER BY 1 LOOP
        CALL loadbay.create_ids(NEW.id, numbered, 1);
    END LOOP;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- All locks before the first change, so that a table that is not free at once costs nothing. From
-- here on nobody takes a number of the former sequences.
LOCK TABLE loadbay.organisations, loadbay.import_column_mappings, loadbay.import_cell_mappings, loadbay.kept_changes,
    sample.membership_periods, sample.membership_types, sample.persons, sample.memberships, sample.orders, sample.bulk_upload_row,
    sample.events, sample.event_categories, sample.custom_lists, sample.custom_list_values, sample.event_participants, sample.results
    IN ACCESS EXCLUSIVE MODE;

-- Row level security binds the owner, so it is lifted to see all rows.
-- +goose StatementBegin
DO $$
DECLARE
    t       regclass;
    highest bigint;
BEGIN
    FOREACH t IN ARRAY '{loadbay.import_column_mappings,loadbay.import_cell_mappings,sample.membership_periods,sample.membership_types,
        sample.persons,sample.memberships,sample.orders,sample.events,sample.event_categories,sample.custom_lists,sample.custom_list_values,
        sample.event_participants,sample.results}'::regclass[]
    LOOP
        EXECUTE format('ALTER TABLE %s NO FORCE ROW LEVEL SECURITY', t);
        EXECUTE format('SELECT greatest(max(t.id), (SELECT max(last_value) FROM %s WHERE is_called)) FROM %s AS t', pg_get_serial_sequence(t::text, 'id'), t) INTO highest;
        EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', t);
        EXECUTE format('ALTER TABLE %s ALTER COLUMN id DROP IDENTITY', t);
        CALL loadbay.number_rows_of(t, coalesce(highest, 0) + 1);
    END LOOP;
END $$;
-- +goose StatementEnd
CREATE TRIGGER create_ids AFTER INSERT ON loadbay.organisations FOR EACH ROW EXECUTE FUNCTION loadbay.create_ids_of_organisation();

ALTER TABLE sample.memberships DROP CONSTRAINT memberships_pkey;
ALTER TABLE sample.memberships ADD CONSTRAINT memberships_pkey PRIMARY KEY USING INDEX memberships_key;
ALTER TABLE sample.event_categories DROP CONSTRAINT event_categories_pkey;
ALTER TABLE sample.event_categories ADD CONSTRAINT event_categories_pkey PRIMARY KEY USING INDEX event_categories_key;
ALTER TABLE sample.event_participants DROP CONSTRAINT event_participants_pkey;
ALTER TABLE sample.event_participants ADD CONSTRAINT event_participants_pkey PRIMARY KEY USING INDEX event_participants_key;
ALTER TABLE sample.results DROP CONSTRAINT results_pkey;
ALTER TABLE sample.results ADD CONSTRAINT results_pkey PRIMARY KEY USING INDEX results_key;
ALTER TABLE loadbay.import_column_mappings DROP CONSTRAINT import_column_mappings_pkey;
ALTER TABLE loadbay.import_column_mappings ADD CONSTRAINT import_column_mappings_pkey PRIMARY KEY USING INDEX import_column_mappings_key;
ALTER TABLE loadbay.import_cell_mappings DROP CONSTRAINT import_cell_mappings_pkey;
ALTER TABLE loadbay.import_cell_mappings ADD CONSTRAINT import_cell_mappings_pkey PRIMARY KEY USING INDEX import_cell_mappings_key;
DROP INDEX sample.bulk_upload_row_creator;
ALTER INDEX sample.bulk_upload_row_creator_key RENAME TO bulk_upload_row_creator;
DROP INDEX loadbay.kept_changes_entity;
ALTER INDEX loadbay.kept_changes_entity_key RENAME TO kept_changes_entity;

-- In these, (organisation_id, id) is unique already, and foreign keys refer to it. Replicas of
-- the tables identify rows by it instead of a primary key.
-- +goose StatementBegin
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY '{membership_periods,membership_types,persons,orders,events,custom_lists,custom_list_values}'::text[] LOOP
        EXECUTE format('ALTER TABLE sample.%I DROP CONSTRAINT %I', name, name || '_pkey');
        EXECUTE format('ALTER TABLE sample.%I REPLICA IDENTITY USING INDEX %I', name, name || '_organisation_id_id_key');
    END LOOP;
END $$;
-- +goose StatementEnd
