-- +goose Up
-- A page of entities that imports update keeps room for new versions of its rows. Then an
-- update that changes no key writes the new version beside the old one and leaves every index
-- alone (heap-only tuples): half the processor time and less than half of the log
-- (docs/decisions/0041). Rows that are only ever created take 1.4 times the pages.
ALTER TABLE users SET (fillfactor = 70);
ALTER TABLE articles SET (fillfactor = 70);
ALTER TABLE comments SET (fillfactor = 70);
ALTER TABLE persons SET (fillfactor = 70);
ALTER TABLE memberships SET (fillfactor = 70);
