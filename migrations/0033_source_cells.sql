-- +goose Up
-- An upsert leaves a value as it is where the cell is empty, so several rows of
-- a file may each have written a part of an entity. Element n says which row of
-- source_job wrote the n-th field of the import type; 0 is none of its rows,
-- NULL is source_row. Rows without empty cells, as most are, need no array.
-- The columns are added without a default, so no table is rewritten.
ALTER TABLE users    ADD COLUMN source_cells integer[];
ALTER TABLE articles ADD COLUMN source_cells integer[];
ALTER TABLE comments ADD COLUMN source_cells integer[];
