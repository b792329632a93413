-- +goose Up
-- When a person is asked what the columns are. NULL, in jobs from before it could be
-- said: never where nobody is asked at all, else where something is unsure.
ALTER TABLE import_jobs ADD COLUMN review text CHECK (review IN ('always', 'unsure', 'never'));

-- By what a column was matched: '' where it is nothing, or was matched before this was kept.
ALTER TABLE import_column_mappings
    ADD COLUMN matched_by text NOT NULL DEFAULT ''
        CHECK (matched_by IN ('', 'exact', 'alias', 'similar', 'content', 'profile', 'mapping', 'person')),
    -- What its cells are like: job.ColumnContent. '{}': nobody has looked.
    ADD COLUMN content jsonb NOT NULL DEFAULT '{}';
