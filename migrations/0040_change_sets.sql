-- +goose Up
-- What imports have changed: a change set for each, in parts.

-- purpose says what a job is for. A plan rehearses an import and waits for somebody to
-- apply it; an undo takes back what undo_of has changed.
ALTER TABLE import_jobs ADD COLUMN purpose text NOT NULL DEFAULT 'IMPORT';
ALTER TABLE import_jobs ADD COLUMN plan boolean NOT NULL DEFAULT false;
ALTER TABLE import_jobs ADD COLUMN undo_of uuid;
ALTER TABLE import_jobs ADD CONSTRAINT import_jobs_purpose
    CHECK (purpose IN ('IMPORT', 'PLAN', 'UNDO') AND (purpose = 'UNDO') = (undo_of IS NOT NULL));
CREATE INDEX import_jobs_undos ON import_jobs (undo_of, id) WHERE undo_of IS NOT NULL;

-- Changes of one transaction of the job, encoded as shared/changeset says: chunk_index is
-- the chunk's, or a part's of a file that is read as one. What a chunk changes when it
-- runs again follows as further parts.
CREATE TABLE import_changes (
    job_id          bigint      NOT NULL,
    organisation_id bigint      NOT NULL,
    chunk_index     integer     NOT NULL,
    part            integer     NOT NULL,
    created         integer     NOT NULL,
    updated         integer     NOT NULL,
    deleted         integer     NOT NULL,
    data            bytea       NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (job_id, chunk_index, part),
    CONSTRAINT import_changes_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES import_jobs (organisation_id, id) ON DELETE CASCADE
);
-- It is compressed already.
ALTER TABLE import_changes ALTER COLUMN data SET STORAGE EXTERNAL;
CALL isolate_tenants('import_changes');
CALL admit_maintenance('import_changes');

-- Where app.capture is set, what a statement has changed is added to app.captured: a line
-- for the statement (its operation, the table, the columns as an array), then for each
-- entity, separated by blanks,
--
--   INSERT  row, id, hash of the values
--   DELETE  row, id, job before, row before, length of the values in bytes, the values
--   UPDATE  the same as DELETE, then the hash of the new values, their length, and they
--
-- with the values as a record literal of the columns. If app.capture is 'values', INSERT
-- is followed by them as well. What says who wrote an entity is none of its values. A
-- setting of the transaction is neither written to a disk nor left behind, and is what it
-- was if a savepoint is rolled back (docs/decisions/0030).
-- +goose StatementBegin
CREATE FUNCTION capture_changes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    mode     text := coalesce(current_setting('app.capture', true), '');
    columns  name[];
    sourced  boolean;
    fresh    text;
    stale    text;
    captured text;
BEGIN
    IF mode = '' THEN
        RETURN NULL;
    END IF;
    SELECT array_agg(attname ORDER BY attnum) FILTER (WHERE attname <> ALL ('{organisation_id,source_job,source_row,source_cells,source_before}')),
           bool_or(attname = 'source_job')
    INTO columns, sourced
    FROM pg_attribute
    WHERE attrelid = TG_RELID AND attnum > 0 AND NOT attisdropped;
    SELECT 'ROW(' || string_agg(format('n.%I', c), ',') || ')', 'ROW(' || string_agg(format('o.%I', c), ',') || ')'
    INTO fresh, stale
    FROM unnest(columns) AS c;
    EXECUTE replace(replace(regexp_replace(CASE
        WHEN TG_OP = 'INSERT' AND mode = 'values' THEN $q$
            SELECT string_agg(concat_ws(' ', {n.source_row}, n.id, hash_record_extended($n, 0), octet_length(v.n), v.n), E'\n')
            FROM fresh AS n, LATERAL (SELECT $n::text AS n OFFSET 0) AS v$q$
        WHEN TG_OP = 'INSERT' THEN $q$
            SELECT string_agg(concat_ws(' ', {n.source_row}, n.id, hash_record_extended($n, 0)), E'\n')
            FROM fresh AS n$q$
        WHEN TG_OP = 'DELETE' THEN $q$
            SELECT string_agg(concat_ws(' ', {o.source_row}, o.id, {o.source_job}, {o.source_row}, octet_length(v.o), v.o), E'\n')
            FROM stale AS o, LATERAL (SELECT $o::text AS o OFFSET 0) AS v$q$
        ELSE $q$
            SELECT string_agg(concat_ws(' ', {n.source_row}, n.id, {o.source_job}, {o.source_row}, octet_length(v.o), v.o,
                       hash_record_extended($n, 0), octet_length(v.n), v.n), E'\n')
            FROM stale AS o
            JOIN fresh AS n USING (id), LATERAL (SELECT $o::text AS o, $n::text AS n OFFSET 0) AS v
            WHERE $n IS DISTINCT FROM $o OR {n.source_job} <> {o.source_job}$q$
        END, '{(.*?)}', CASE WHEN sourced THEN 'coalesce(\1, 0)' ELSE '0' END, 'g'), '$n', fresh), '$o', stale)
    INTO captured;
    IF captured IS NOT NULL THEN
        PERFORM set_config('app.captured', coalesce(current_setting('app.captured', true), '')
            || TG_OP || CASE WHEN TG_OP = 'INSERT' AND mode = 'values' THEN '+' ELSE '' END
            || ' ' || TG_TABLE_NAME || ' ' || columns::text || E'\n' || captured || E'\n', true);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- Has the changes of a table captured. Tables that imports write call it; their entities
-- are known by id.
-- +goose StatementBegin
CREATE PROCEDURE capture_changes_of(t regclass) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TRIGGER capture_inserts AFTER INSERT ON %s REFERENCING NEW TABLE AS fresh
                        FOR EACH STATEMENT EXECUTE FUNCTION capture_changes()', t);
    EXECUTE format('CREATE TRIGGER capture_updates AFTER UPDATE ON %s REFERENCING OLD TABLE AS stale NEW TABLE AS fresh
                        FOR EACH STATEMENT EXECUTE FUNCTION capture_changes()', t);
    EXECUTE format('CREATE TRIGGER capture_deletes AFTER DELETE ON %s REFERENCING OLD TABLE AS stale
                        FOR EACH STATEMENT EXECUTE FUNCTION capture_changes()', t);
END $$;
-- +goose StatementEnd

CALL capture_changes_of('users');
CALL capture_changes_of('articles');
CALL capture_changes_of('comments');
CALL capture_changes_of('membership_periods');
CALL capture_changes_of('membership_types');
CALL capture_changes_of('persons');
CALL capture_changes_of('memberships');
CALL capture_changes_of('orders');
CALL capture_changes_of('events');
CALL capture_changes_of('event_categories');
CALL capture_changes_of('custom_lists');
CALL capture_changes_of('custom_list_values');
CALL capture_changes_of('event_participants');
CALL capture_changes_of('results');
