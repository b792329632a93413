-- +goose NO TRANSACTION
-- +goose Up
-- Looks at the rows that were there before the foreign keys of the previous migration.
-- Each statement is a transaction of its own, because a lock is kept until the end of one:
-- VALIDATE lets others write while it reads, ALTER TABLE lets nobody.
--
-- FORCE binds the owner as well, who would see no row to look at and find every
-- foreign key valid. Nobody else is let in by leaving it out for a moment: the functions
-- are not the owner. A migration that breaks off here is run again from its beginning.

ALTER TABLE import_jobs NO FORCE ROW LEVEL SECURITY;
ALTER TABLE import_sources NO FORCE ROW LEVEL SECURITY;
ALTER TABLE import_column_mappings NO FORCE ROW LEVEL SECURITY;
ALTER TABLE import_cell_mappings NO FORCE ROW LEVEL SECURITY;
ALTER TABLE import_chunks NO FORCE ROW LEVEL SECURITY;
ALTER TABLE job_events NO FORCE ROW LEVEL SECURITY;
ALTER TABLE webhook_deliveries NO FORCE ROW LEVEL SECURITY;
ALTER TABLE bulk_upload_row NO FORCE ROW LEVEL SECURITY;

ALTER TABLE import_sources VALIDATE CONSTRAINT import_sources_job_fkey;
ALTER TABLE import_column_mappings VALIDATE CONSTRAINT import_column_mappings_job_fkey;
ALTER TABLE import_cell_mappings VALIDATE CONSTRAINT import_cell_mappings_job_fkey;
ALTER TABLE import_chunks VALIDATE CONSTRAINT import_chunks_job_fkey;
ALTER TABLE job_events VALIDATE CONSTRAINT job_events_job_fkey;
ALTER TABLE webhook_deliveries VALIDATE CONSTRAINT webhook_deliveries_job_fkey;
ALTER TABLE bulk_upload_row VALIDATE CONSTRAINT bulk_upload_row_job_fkey;

ALTER TABLE import_jobs FORCE ROW LEVEL SECURITY;
ALTER TABLE import_sources FORCE ROW LEVEL SECURITY;
ALTER TABLE import_column_mappings FORCE ROW LEVEL SECURITY;
ALTER TABLE import_cell_mappings FORCE ROW LEVEL SECURITY;
ALTER TABLE import_chunks FORCE ROW LEVEL SECURITY;
ALTER TABLE job_events FORCE ROW LEVEL SECURITY;
ALTER TABLE webhook_deliveries FORCE ROW LEVEL SECURITY;
ALTER TABLE bulk_upload_row FORCE ROW LEVEL SECURITY;
