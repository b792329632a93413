-- +goose Up
-- What belongs to an import belongs to the organisation of that import: the foreign keys
-- name both. Postgres checks a foreign key past row level security, so until now a row of
-- one organisation could refer to another's import, had a statement mixed them up.
--
-- Rows that are there are not looked at yet (NOT VALID), so that the locks of this
-- migration are short: the next one does. The one table that an index is built for has a
-- row for each import.

-- Read backwards it lists the newest imports first, as the index did that it replaces.
CREATE UNIQUE INDEX import_jobs_organisation_id_id_key ON import_jobs (organisation_id, id);
DROP INDEX import_jobs_list;

-- Only batches are in it now. While the table was tiny, an index of all imports that begins
-- with organisation_id looked as good for the new foreign keys as the right one, and every
-- row of a batch read all imports of its organisation.
ALTER TABLE import_jobs DROP CONSTRAINT import_jobs_batch_key;
CREATE UNIQUE INDEX import_jobs_batch_key ON import_jobs (organisation_id, batch_id) WHERE batch_id IS NOT NULL;

ALTER TABLE import_sources
    DROP CONSTRAINT import_sources_job_id_fkey,
    ADD CONSTRAINT import_sources_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES import_jobs (organisation_id, id) ON DELETE CASCADE NOT VALID;
ALTER TABLE import_column_mappings
    DROP CONSTRAINT import_column_mappings_job_id_fkey,
    ADD CONSTRAINT import_column_mappings_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES import_jobs (organisation_id, id) ON DELETE CASCADE NOT VALID;
ALTER TABLE import_cell_mappings
    DROP CONSTRAINT import_cell_mappings_job_id_fkey,
    ADD CONSTRAINT import_cell_mappings_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES import_jobs (organisation_id, id) ON DELETE CASCADE NOT VALID;
ALTER TABLE import_chunks
    DROP CONSTRAINT import_chunks_job_id_fkey,
    ADD CONSTRAINT import_chunks_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES import_jobs (organisation_id, id) ON DELETE CASCADE NOT VALID;
ALTER TABLE job_events
    DROP CONSTRAINT job_events_job_id_fkey,
    ADD CONSTRAINT job_events_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES import_jobs (organisation_id, id) ON DELETE CASCADE NOT VALID;
ALTER TABLE webhook_deliveries
    DROP CONSTRAINT webhook_deliveries_job_id_fkey,
    ADD CONSTRAINT webhook_deliveries_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES import_jobs (organisation_id, id) ON DELETE CASCADE NOT VALID;
ALTER TABLE bulk_upload_row
    DROP CONSTRAINT bulk_upload_row_job_id_fkey,
    ADD CONSTRAINT bulk_upload_row_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES import_jobs (organisation_id, id) ON DELETE CASCADE NOT VALID;
