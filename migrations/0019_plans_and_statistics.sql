-- +goose Up
-- What the planner knows, and what it forgets.

-- Makes Postgres plan anew what the session has planned before: above all the checks
-- of foreign keys, whose plans it keeps and gives no other hold on. A plan that was
-- made while a table was tiny reads the whole table for each row once the table is
-- not. A function, because RDS Proxy gives a client that sends DISCARD itself a
-- connection of its own for as long as it stays.
-- +goose StatementBegin
CREATE FUNCTION forget_plans() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DISCARD PLANS;
END $$;
-- +goose StatementEnd

-- How many rows an organisation has.
--
-- Statistics cannot know of the file that is being imported. Where each of many small
-- organisations has one row, they say that an organisation has one row, and any index
-- that begins with organisation_id is as good as the one with the whole key: Postgres
-- may take the wrong one, and read all of the organisation's rows for every row that
-- comes. So they say a 200th of the table, which is also what Postgres assumes of
-- a table without statistics. Organisations with many rows are still known as such
-- (most_common_vals).

-- +goose StatementBegin
CREATE PROCEDURE assume_organisations(t regclass) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ALTER COLUMN organisation_id SET (n_distinct = 200)', t);
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE isolate_tenants(t regclass) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %s TO loadbay_app
                        USING (organisation_id = (SELECT current_organisation()))
                        WITH CHECK (organisation_id = (SELECT current_organisation()))', t);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO loadbay_app', t);
    CALL assume_organisations(t);
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
