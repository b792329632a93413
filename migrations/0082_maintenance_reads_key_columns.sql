-- +goose Up
-- purge finds the rows of a job by their primary key instead of their ctid, which is not unique in a
-- partitioned table. It may read the columns of the key but for texts, such as addresses. Functions of
-- the previous release still need ctid where they have it.
-- +goose StatementBegin
CREATE PROCEDURE loadbay.admit_key_columns(t regclass) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    columns text;
BEGIN
    SELECT string_agg(format('%I', attname), ', ' ORDER BY attnum) INTO columns
    FROM pg_attribute
    JOIN pg_index ON indrelid = attrelid AND indisprimary AND attnum = ANY (indkey)
    WHERE attrelid = t AND atttypid <> 'text'::regtype;
    IF columns IS NOT NULL THEN
        EXECUTE format('GRANT SELECT (%s) ON %s TO loadbay_maintenance', columns, t);
    END IF;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE loadbay.admit_maintenance(t regclass) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('CREATE POLICY maintenance ON %s TO loadbay_maintenance USING (true) WITH CHECK (true)', t);
    EXECUTE format('GRANT SELECT (job_id), DELETE ON %s TO loadbay_maintenance', t);
    CALL loadbay.admit_key_columns(t);
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
DO $$
DECLARE
    t regclass;
BEGIN
    FOR t IN
        SELECT c.oid FROM pg_class AS c
        JOIN pg_policy ON polrelid = c.oid AND polname = 'maintenance'
        JOIN pg_attribute ON attrelid = c.oid AND attname = 'job_id' AND NOT attisdropped
        WHERE relnamespace = ANY ('{loadbay,sample}'::regnamespace[])
          AND has_table_privilege('loadbay_maintenance', c.oid, 'DELETE') AND NOT has_table_privilege('loadbay_maintenance', c.oid, 'SELECT')
    LOOP
        CALL loadbay.admit_key_columns(t);
    END LOOP;
END $$;
-- +goose StatementEnd
