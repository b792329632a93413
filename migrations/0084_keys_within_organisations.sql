-- +goose NO TRANSACTION
-- +goose Up
-- Indexes for the keys of the next migration, in which ids are unique within an organisation. They are
-- built while others write, so each statement is a transaction of its own. One that fails leaves an
-- index that is not valid; the migration is then repeated from its beginning. A build also waits for
-- the transactions that are open, which hold nobody up meanwhile.
-- Before anything is built: a reference to an id alone would find rows of any organisation.
-- +goose StatementBegin
DO $$
DECLARE
    reference record;
BEGIN
    FOR reference IN
        SELECT c.conname, c.conrelid::regclass AS referring, c.confrelid::regclass AS referenced
        FROM pg_constraint AS c
        JOIN pg_constraint AS k ON k.conindid = c.conindid AND k.conrelid = c.confrelid AND k.contype = 'p'
        WHERE c.contype = 'f' AND k.conrelid = ANY ('{sample.membership_periods,sample.membership_types,sample.persons,sample.memberships,sample.orders,
            sample.events,sample.event_categories,sample.custom_lists,sample.custom_list_values,sample.event_participants,sample.results,
            loadbay.import_column_mappings,loadbay.import_cell_mappings}'::regclass[])
    LOOP
        RAISE EXCEPTION 'the foreign key % of % refers to the id of % alone, which is unique only within an organisation from this release on',
            reference.conname, reference.referring, reference.referenced
            USING HINT = 'Let it refer to (organisation_id, id), and migrate again. Nothing has been changed yet.';
    END LOOP;
END $$;
-- +goose StatementEnd

SET lock_timeout = '60s';

DROP INDEX CONCURRENTLY IF EXISTS sample.memberships_key;
CREATE UNIQUE INDEX CONCURRENTLY memberships_key ON sample.memberships (organisation_id, id);
DROP INDEX CONCURRENTLY IF EXISTS sample.event_categories_key;
CREATE UNIQUE INDEX CONCURRENTLY event_categories_key ON sample.event_categories (organisation_id, id);
DROP INDEX CONCURRENTLY IF EXISTS sample.event_participants_key;
CREATE UNIQUE INDEX CONCURRENTLY event_participants_key ON sample.event_participants (organisation_id, id);
DROP INDEX CONCURRENTLY IF EXISTS sample.results_key;
CREATE UNIQUE INDEX CONCURRENTLY results_key ON sample.results (organisation_id, id);

DROP INDEX CONCURRENTLY IF EXISTS loadbay.import_column_mappings_key;
CREATE UNIQUE INDEX CONCURRENTLY import_column_mappings_key ON loadbay.import_column_mappings (job_id, id);
DROP INDEX CONCURRENTLY IF EXISTS loadbay.import_cell_mappings_key;
CREATE UNIQUE INDEX CONCURRENTLY import_cell_mappings_key ON loadbay.import_cell_mappings (job_id, id);

DROP INDEX CONCURRENTLY IF EXISTS sample.bulk_upload_row_creator_key;
CREATE UNIQUE INDEX CONCURRENTLY bulk_upload_row_creator_key ON sample.bulk_upload_row (organisation_id, order_id) WHERE order_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS loadbay.kept_changes_entity_key;
CREATE INDEX CONCURRENTLY kept_changes_entity_key ON loadbay.kept_changes (organisation_id, entity_id, entity_table);

RESET lock_timeout;
