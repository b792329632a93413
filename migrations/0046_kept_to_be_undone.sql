-- +goose Up
-- What an import has changed is kept to be undone, by a clock of its own.

-- undo_days: for how long after its end an import can be undone; of those that are made from
-- now on. Nothing of what they change is kept where it is 0. NULL: 30.
ALTER TABLE organisation_settings ADD COLUMN undo_days smallint CHECK (undo_days BETWEEN 0 AND 90);

-- undo_days is the setting as it was when the job was made; undo_until is set when the job
-- ends, if it came to write anything. Until then the job is kept with its ledger and its
-- change set, and while an undo of it runs. Its files go earlier, and its change set
-- does where the type keeps its jobs for longer: files_purged and changes_purged say that
-- they have.
ALTER TABLE import_jobs
    ADD COLUMN undo_days      smallint NOT NULL DEFAULT 30 CHECK (undo_days BETWEEN 0 AND 90),
    ADD COLUMN undo_until     timestamptz,
    ADD COLUMN files_purged   boolean NOT NULL DEFAULT false,
    ADD COLUMN changes_purged boolean NOT NULL DEFAULT false,
    ADD CONSTRAINT import_jobs_undo CHECK (undo_until IS NULL OR completed_at IS NOT NULL AND undo_days > 0 AND NOT dry_run);
CREATE INDEX import_jobs_undo_over ON import_jobs (undo_until) WHERE undo_until IS NOT NULL AND NOT changes_purged;

-- first_row and last_row are the least and the largest number of a row in the part: by them,
-- and by the source of an entity, its history is found. tally counts what has become of each
-- column, as shared/changeset says, without a value of it. Parts from before have neither.
ALTER TABLE import_changes
    ADD COLUMN first_row bigint NOT NULL DEFAULT 0,
    ADD COLUMN last_row  bigint NOT NULL DEFAULT 9223372036854775807,
    ADD COLUMN tally     jsonb  NOT NULL DEFAULT '{}';
