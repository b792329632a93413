-- +goose Up
-- What a person or a membership was before the import that wrote it last, if it
-- was there. Of several rows of a roster about one person the first counts, also
-- if a later one was written first: then its values go, and those from before it
-- come back where the first row gives none.
ALTER TABLE persons     ADD COLUMN source_before jsonb;
ALTER TABLE memberships ADD COLUMN source_before jsonb;
