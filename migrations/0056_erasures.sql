-- +goose Up
-- Erasing a person takes many transactions. What is known of them by now, and how far it
-- has come, is kept until nothing else is left of them.
CREATE TABLE person_erasures (
    organisation_id bigint      NOT NULL REFERENCES organisations (id),
    person_id       bigint      NOT NULL,
    traces          jsonb       NOT NULL,
    place           jsonb       NOT NULL, -- of the next thing to look at
    changes         bigint      NOT NULL DEFAULT 0, -- that were removed from change sets
    began_at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organisation_id, person_id)
);
CALL isolate_tenants('person_erasures');

-- Versions of profiles never change, but for values of somebody who has been erased.
GRANT UPDATE (name, headers) ON import_profile_versions TO loadbay_app;

-- A document without texts, in lower case, that are one of some or match a pattern.
-- +goose StatementBegin
CREATE FUNCTION without_values(document jsonb, whole text[], patterns text[]) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN CASE jsonb_typeof(document)
        WHEN 'string' THEN CASE WHEN lower(document #>> '{}') = ANY (whole) OR lower(document #>> '{}') LIKE ANY (patterns) THEN '"Erased."' ELSE document END
        WHEN 'array' THEN (SELECT coalesce(jsonb_agg(without_values(e, whole, patterns) ORDER BY n), '[]') FROM jsonb_array_elements(document) WITH ORDINALITY AS elements (e, n))
        WHEN 'object' THEN (SELECT coalesce(jsonb_object_agg(k, without_values(v, whole, patterns)), '{}') FROM jsonb_each(document) AS members (k, v))
        ELSE document
    END;
END $$;
-- +goose StatementEnd
