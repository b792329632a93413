-- +goose Up
-- What was remembered becomes one profile for each organisation and type, "Remembered",
-- which nothing chooses by itself. A field that several headers were decided to be is left
-- out: each of them was right for another file, and none is for all. So is what is beyond
-- the bounds of a mapping, the oldest first.
--
-- The tables of the memory stay as they are: the previous release, which a rollback brings
-- back, reads and writes them. Nothing else does any more, and the next release drops them.
--
-- Row level security binds the owner, so it is lifted to see the rows.

ALTER TABLE import_column_decisions NO FORCE ROW LEVEL SECURITY;
ALTER TABLE import_cell_decisions NO FORCE ROW LEVEL SECURITY;
ALTER TABLE import_profiles NO FORCE ROW LEVEL SECURITY;
ALTER TABLE import_profile_versions NO FORCE ROW LEVEL SECURITY;

INSERT INTO import_profiles (id, organisation_id, import_type, name, version)
SELECT gen_random_uuid(), organisation_id, import_type, 'Remembered', 1
FROM (
    SELECT organisation_id, import_type FROM import_column_decisions
    UNION
    SELECT organisation_id, import_type FROM import_cell_decisions
) AS remembered;

INSERT INTO import_profile_versions (profile_id, organisation_id, version, name, auto, headers, mapping)
SELECT p.id, p.organisation_id, 1, p.name, false, coalesce(c.headers, '{}'),
       jsonb_strip_nulls(jsonb_build_object('fields', c.fields, 'ignore', c.ignored, 'values', v.list))
FROM import_profiles AS p
LEFT JOIN LATERAL (
    SELECT array_agg(d.header ORDER BY d.id) AS headers,
           jsonb_agg(jsonb_build_object('field', d.target_field, 'from', jsonb_build_array(d.header)) ORDER BY d.id)
               FILTER (WHERE d.target_field IS NOT NULL) AS fields,
           jsonb_agg(d.header ORDER BY d.id) FILTER (WHERE d.target_field IS NULL) AS ignored
    FROM (
        SELECT o.id, o.header, o.target_field, count(*) OVER (PARTITION BY o.target_field) AS rivals,
               row_number() OVER (ORDER BY o.decided_at DESC, o.id DESC) AS place
        FROM import_column_decisions AS o
        WHERE o.organisation_id = p.organisation_id AND o.import_type = p.import_type AND length(o.header) BETWEEN 1 AND 300
    ) AS d
    WHERE (d.target_field IS NULL OR d.rivals = 1) AND d.place <= 500
) AS c ON true
LEFT JOIN LATERAL (
    SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
               'field', d.target_field, 'value', d.source_value, 'toId', d.target_entity_id,
               'then', CASE WHEN d.create_new THEN 'create' WHEN d.target_entity_id IS NULL THEN 'skip' END)) ORDER BY d.id) AS list
    FROM (
        SELECT o.*, row_number() OVER newest AS place, sum(octet_length(o.source_value) + 200) OVER newest AS bytes
        FROM import_cell_decisions AS o
        WHERE o.organisation_id = p.organisation_id AND o.import_type = p.import_type
          AND length(o.source_value) BETWEEN 1 AND 32767 AND coalesce(o.target_entity_id, '1') ~ '^[1-9][0-9]{0,17}$'
        WINDOW newest AS (ORDER BY o.decided_at DESC, o.id DESC)
    ) AS d
    WHERE d.place <= 10000 AND d.bytes <= 700000
) AS v ON true;

ALTER TABLE import_column_decisions FORCE ROW LEVEL SECURITY;
ALTER TABLE import_cell_decisions FORCE ROW LEVEL SECURITY;
ALTER TABLE import_profiles FORCE ROW LEVEL SECURITY;
ALTER TABLE import_profile_versions FORCE ROW LEVEL SECURITY;
