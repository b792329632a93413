-- +goose Up
-- notify: the addresses that are told of every import which is read by the profile, beside
-- those of the import. They are the profile's and no version's: versions never change, and
-- whoever is taken out is to be in none of them.
ALTER TABLE import_profiles ADD COLUMN notify text[] NOT NULL DEFAULT '{}' CHECK (cardinality(notify) <= 10);
