-- +goose Up
-- Erasing a person finds values in every Unicode form, and as keys of a map of values. Names of
-- operations and fields are not values: a person called Last must not remove LAST_NAME.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION without_values(document jsonb, whole text[], patterns text[]) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    text_value text := lower(normalize(document #>> '{}', NFKC));
BEGIN
    RETURN CASE jsonb_typeof(document)
        WHEN 'string' THEN CASE WHEN text_value = ANY (whole) OR text_value LIKE ANY (patterns) THEN '"Erased."' ELSE document END
        WHEN 'array' THEN (SELECT coalesce(jsonb_agg(without_values(e, whole, patterns) ORDER BY n), '[]') FROM jsonb_array_elements(document) WITH ORDINALITY AS elements (e, n))
        WHEN 'object' THEN (
            SELECT coalesce(jsonb_object_agg(k, CASE
                WHEN k IN ('op', 'field') THEN v
                WHEN k = 'values' AND jsonb_typeof(v) = 'object' THEN (
                    SELECT coalesce(jsonb_object_agg(
                        CASE WHEN lower(normalize(text, NFKC)) = ANY (whole) OR lower(normalize(text, NFKC)) LIKE ANY (patterns) THEN 'Erased.' ELSE text END,
                        without_values(target, whole, patterns)), '{}')
                    FROM jsonb_each(v) AS mapped (text, target))
                ELSE without_values(v, whole, patterns) END), '{}')
            FROM jsonb_each(document) AS members (k, v))
        ELSE document
    END;
END $$;
-- +goose StatementEnd
