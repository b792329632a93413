-- +goose Up
-- An undo may revert the retries of an import together with it. undo_of remains the import.
CREATE TABLE import_undo_retries (
    job_id          bigint NOT NULL, -- the undo
    organisation_id bigint NOT NULL,
    retry           uuid   NOT NULL,
    changes         bigint NOT NULL,
    PRIMARY KEY (job_id, retry),
    CONSTRAINT import_undo_retries_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES import_jobs (organisation_id, id) ON DELETE CASCADE
);
CREATE INDEX import_undo_retries_of ON import_undo_retries (retry, job_id);
CALL isolate_tenants('import_undo_retries');
CALL admit_maintenance('import_undo_retries');
GRANT SELECT (retry, changes) ON import_undo_retries TO loadbay_maintenance;

-- The imports that each undo reverts.
CREATE VIEW import_undos WITH (security_invoker = true) AS
SELECT id AS job_id, undo_of AS reverted FROM import_jobs WHERE undo_of IS NOT NULL
UNION ALL
SELECT job_id, retry FROM import_undo_retries;
GRANT SELECT ON import_undos TO loadbay_app, loadbay_maintenance;
