-- +goose Up
-- Lists are narrowed by status, of which few imports have the one that is looked for
-- (FAILED), and by when imports were made. The status of a batch is that of the view
-- bulk_upload_batch.
--
-- The first two have all imports in them. Their conditions keep checks of foreign keys,
-- which name no status and no time, from taking one of them while the table is tiny: each
-- row of a batch then read all imports of its organisation.
CREATE INDEX import_jobs_status ON import_jobs (organisation_id, status, id DESC) WHERE status IS NOT NULL;
CREATE INDEX import_jobs_created ON import_jobs (organisation_id, created_at) WHERE created_at IS NOT NULL;
CREATE INDEX import_jobs_batch_status ON import_jobs (organisation_id,
    (CASE WHEN status = 'COMPLETED' THEN 'COMPLETED' WHEN completed_at IS NOT NULL THEN 'FAILED' ELSE 'PROCESSING' END), id DESC)
    WHERE batch_id IS NOT NULL;
