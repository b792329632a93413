-- +goose Up
-- file_repeatable says that a batch does not claim its file: the same bytes make another batch. That
-- is now also true of a batch whose import was undone, and of one that has written nothing. The
-- service marks them when they end; these ended before. Row level security binds the owner, so it is
-- lifted to see them.
ALTER TABLE import_jobs NO FORCE ROW LEVEL SECURITY;
UPDATE import_jobs AS b SET file_repeatable = true
WHERE batch_id IS NOT NULL AND NOT file_repeatable AND status = 'COMPLETED'
  AND (created_count + updated_count = 0 OR EXISTS (
      SELECT FROM import_jobs AS u
      WHERE u.undo_of = b.uuid AND NOT u.dry_run AND u.completed_at IS NOT NULL AND u.created_count + u.updated_count + u.unchanged_count > 0
  ));
ALTER TABLE import_jobs FORCE ROW LEVEL SECURITY;
