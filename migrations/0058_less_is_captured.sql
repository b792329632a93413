-- +goose Up
-- capture_changes of migration 0040, with less to write of an entity that is updated:
--
-- - a value that stays is NULL before and after. Of types whose equal values may be written in
--   different ways, such as numeric, all values are there as they were.
-- - the hash of the new values is 0 if another import had written the entity: it is kept only of
--   what is created, and then updated, in the transaction.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION capture_changes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    mode     text := coalesce(current_setting('app.capture', true), '');
    columns  name[];
    sourced  boolean;
    fresh    text;
    stale    text;
    after    text;
    before   text;
    captured text;
BEGIN
    IF mode = '' THEN
        RETURN NULL;
    END IF;
    SELECT array_agg(attname ORDER BY attnum),
           'ROW(' || string_agg(format('n.%I', attname), ',' ORDER BY attnum) || ')',
           'ROW(' || string_agg(format('o.%I', attname), ',' ORDER BY attnum) || ')',
           'ROW(' || string_agg(format(changed, attname, 'n'), ',' ORDER BY attnum) || ')',
           'ROW(' || string_agg(format(changed, attname, 'o'), ',' ORDER BY attnum) || ')'
    INTO columns, fresh, stale, after, before
    FROM pg_attribute,
         LATERAL (SELECT CASE WHEN atttypid = ANY ('{text,uuid,boolean,smallint,integer,bigint,date,timestamptz,text[]}'::regtype[])
             THEN 'CASE WHEN n.%1$I IS DISTINCT FROM o.%1$I THEN %2$s.%1$I END' ELSE '%2$s.%1$I' END) AS v(changed)
    WHERE attrelid = TG_RELID AND attnum > 0 AND NOT attisdropped
      AND attname <> ALL ('{organisation_id,source_job,source_row,source_cells,source_before}');
    sourced := EXISTS (SELECT FROM pg_attribute WHERE attrelid = TG_RELID AND attname = 'source_job' AND NOT attisdropped);
    EXECUTE replace(replace(replace(replace(regexp_replace(CASE
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
                       CASE WHEN {n.source_job} = {o.source_job} THEN hash_record_extended($n, 0) ELSE 0 END, octet_length(v.n), v.n), E'\n')
            FROM stale AS o
            JOIN fresh AS n USING (id), LATERAL (SELECT $before::text AS o, $after::text AS n OFFSET 0) AS v
            WHERE {n.source_job} <> {o.source_job} OR $n IS DISTINCT FROM $o$q$
        END, '{(.*?)}', CASE WHEN sourced THEN 'coalesce(\1, 0)' ELSE '0' END, 'g'), '$before', before), '$after', after), '$n', fresh), '$o', stale)
    INTO captured;
    IF captured IS NOT NULL THEN
        PERFORM set_config('app.captured', coalesce(current_setting('app.captured', true), '')
            || TG_OP || CASE WHEN TG_OP = 'INSERT' AND mode = 'values' THEN '+' ELSE '' END
            || ' ' || TG_TABLE_NAME || ' ' || columns::text || E'\n' || captured || E'\n', true);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
