-- +goose Up
-- Keeps autovacuum away from tables of fewer than 1,000 changed rows.
--
-- Autovacuum counts the pages of rows that an import has not committed yet, but not the rows. Of a
-- table of 64 rows, in which a first large file is being written, it records 64 rows on many pages.
-- An organisation then seems to have less than one row (a 200th of 64), every index that begins with
-- organisation_id looks as good as the one with the whole key, and foreign-key checks may read all
-- of the organisation's rows for each row, until the next ANALYZE. From 1,000 committed rows on, the
-- right index is always cheaper. A table without statistics is planned by its size, which is right.
-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE assume_organisations(t regclass) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ALTER COLUMN organisation_id SET (n_distinct = 200)', t);
    EXECUTE format('ALTER TABLE %s SET (autovacuum_analyze_threshold = 1000, autovacuum_vacuum_threshold = 1000)', t);
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
DO $$
DECLARE
    t regclass;
BEGIN
    FOR t IN SELECT polrelid FROM pg_policy WHERE polname = 'tenant' AND polrelid <> 'organisations'::regclass LOOP
        CALL assume_organisations(t);
    END LOOP;
END $$;
-- +goose StatementEnd
