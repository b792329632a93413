-- +goose Up
-- Positions and points are computed for a whole category whenever one of its results changes. A
-- position that a file contained is kept; NULL says that the version which wrote the result did
-- not record it. Points are computed again by the calculator that computed them.
ALTER TABLE results ADD COLUMN position_written boolean, ADD COLUMN points_calculator text;
