-- +goose Up
-- Lists are narrowed by status, of which few imports have the one that is looked for
-- (FAILED), and by when imports were made. The status of a batch is that of the view
-- bulk_upload_batch.
CREATE INDEX import_jobs_status ON import_jobs (organisation_id, status, id DESC);
CREATE INDEX import_jobs_created ON import_jobs (organisation_id, created_at);
CREATE INDEX import_jobs_batch_status ON import_jobs (organisation_id,
    (CASE WHEN status = 'COMPLETED' THEN 'COMPLETED' WHEN completed_at IS NOT NULL THEN 'FAILED' ELSE 'PROCESSING' END), id DESC)
    WHERE batch_id IS NOT NULL;
