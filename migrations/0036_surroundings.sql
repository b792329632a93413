-- +goose Up
-- What a person says of an import besides its file, and lists that are narrowed by it.

-- label: their own word for it. max_errors: from how many rows in error on, or which
-- share of all rows, the import is stopped. notify: the addresses that are told when it
-- waits or has ended. uploader: the subject of the token, or 'drop'; of numbered uploads
-- it has been kept already.
ALTER TABLE import_jobs
    ADD COLUMN label      text   NOT NULL DEFAULT '' CHECK (length(label) <= 100),
    ADD COLUMN max_errors text   CHECK (max_errors ~ '^(\d{1,9}|\d{1,2}(\.\d{1,2})?%)$'),
    ADD COLUMN notify     text[] NOT NULL DEFAULT '{}' CHECK (cardinality(notify) <= 10);

-- mail_domains: those whose addresses may be told of imports; none may where there are none.
ALTER TABLE organisation_settings
    ADD COLUMN max_errors   text   CHECK (max_errors ~ '^(\d{1,9}|\d{1,2}(\.\d{1,2})?%)$'),
    ADD COLUMN mail_domains text[] NOT NULL DEFAULT '{}' CHECK (cardinality(mail_domains) <= 20);

-- None of these columns changes, so that updates of an import touch no index. Their
-- conditions keep checks of foreign keys from taking them: 0025 says why.
CREATE INDEX import_jobs_type ON import_jobs (organisation_id, import_type, id DESC) WHERE import_type IS NOT NULL;
CREATE INDEX import_jobs_label ON import_jobs (organisation_id, label, id DESC) WHERE label <> '';
CREATE INDEX import_jobs_uploader ON import_jobs (organisation_id, uploader, id DESC) WHERE uploader IS NOT NULL;

-- Who has been told of an event by mail, so that nobody is told twice when its message
-- comes again. fault: the mail service will not send there, whatever is tried.
CREATE TABLE event_mails (
    event_id        uuid        NOT NULL,
    address         text        NOT NULL,
    job_id          bigint      NOT NULL,
    organisation_id bigint      NOT NULL,
    sent_at         timestamptz NOT NULL DEFAULT now(),
    fault           text,
    PRIMARY KEY (event_id, address),
    CONSTRAINT event_mails_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES import_jobs (organisation_id, id) ON DELETE CASCADE
);
CREATE INDEX event_mails_job ON event_mails (job_id);
CALL isolate_tenants('event_mails');
CALL admit_maintenance('event_mails');

-- Files of the drop folder that were refused and put aside, for their organisation to see,
-- drop and try again. The files and the reasons are in the bucket; id is that of the job
-- that would have been made. Purge forgets them when the bucket's lifecycle deletes those.
CREATE TABLE quarantined_drops (
    id              uuid        PRIMARY KEY,
    organisation_id bigint      NOT NULL REFERENCES organisations (id),
    object_key      text        NOT NULL CHECK (length(object_key) <= 1024), -- where it was
    kept_key        text        NOT NULL CHECK (length(kept_key) <= 2048),   -- where it is; object_key where it was too large to be moved
    size_bytes      bigint      NOT NULL,
    code            text        NOT NULL,
    message         text        NOT NULL,
    errors          jsonb       NOT NULL DEFAULT '[]',
    quarantined_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX quarantined_drops_list ON quarantined_drops (organisation_id, quarantined_at DESC, id);
CREATE INDEX quarantined_drops_age ON quarantined_drops (quarantined_at);
CALL isolate_tenants('quarantined_drops');
CALL admit_maintenance('quarantined_drops');

-- A webhook is told of exports, too. Such a delivery goes with its export, and is added by
-- whoever ends that: reconcile too, who sees no webhooks.
ALTER TABLE export_jobs ADD CONSTRAINT export_jobs_organisation_id_uuid_key UNIQUE (organisation_id, uuid);
ALTER TABLE webhook_deliveries
    ADD COLUMN export_id uuid,
    ADD CONSTRAINT webhook_deliveries_export_fkey FOREIGN KEY (organisation_id, export_id) REFERENCES export_jobs (organisation_id, uuid) ON DELETE CASCADE;
CREATE INDEX webhook_deliveries_export ON webhook_deliveries (export_id) WHERE export_id IS NOT NULL;
GRANT INSERT ON webhook_deliveries TO loadbay_maintenance;
