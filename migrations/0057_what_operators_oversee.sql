-- +goose Up
-- What the operator of an installation looks at when something stands still: the
-- bookkeeping of all organisations by ids, states, counts and times. No column of these
-- holds what is in a file, what it is called, or whose it is; and nothing can be changed.

-- Lets the operator see some columns of a table, of all organisations.
-- +goose StatementBegin
CREATE PROCEDURE let_oversee(t regclass, columns text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE POLICY operator ON %s FOR SELECT TO loadbay_operator USING (true)', t);
    EXECUTE format('GRANT SELECT (%s) ON %s TO loadbay_operator', columns, t);
END $$;
-- +goose StatementEnd

CALL let_oversee('import_jobs', 'id, uuid, organisation_id, import_type, purpose, status, created_at, updated_at, uploaded_at, started_at, completed_at, total_rows, created_count, updated_count, unchanged_count, skipped_count, error_count, chunk_total, chunks_done, split_complete, callback_pending, failure_code');
CALL let_oversee('import_chunks', 'job_id, chunk_index, done');
CALL let_oversee('import_sources', 'job_id, touched_at, requeues');
CALL let_oversee('export_jobs', 'id, uuid, organisation_id, import_type, format, status, record_count, created_at, started_at, completed_at, touched_at, requeues, failure_code');
CALL let_oversee('webhook_deliveries', 'status, next_attempt_at, queued_at');
CALL let_oversee('person_erasures', 'organisation_id, person_id, changes, began_at');
