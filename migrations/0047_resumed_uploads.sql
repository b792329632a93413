-- +goose Up
-- The upload in parts that a job's file comes by, as the bucket names it: whoever goes on
-- with it after an interruption, and whoever repeats the request that made the job, gets
-- this one and begins no other. Null for a file that comes in one piece, and for jobs of
-- earlier releases, whose next request begins anew.
ALTER TABLE import_jobs ADD COLUMN upload_id text;
