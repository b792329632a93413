-- The database's schema, as all migrations leave it: look here for what a table is,
-- and in migrations/ for why. `make schema` writes this file, and a test compares it
-- with a migrated database. Not in it: the roles, which shared/postgres/schema makes,
-- and the rows of countries.

CREATE SCHEMA loadbay;

CREATE SCHEMA sample;

GRANT USAGE ON SCHEMA loadbay TO loadbay_app, loadbay_maintenance, loadbay_operator;

GRANT USAGE ON SCHEMA sample TO loadbay_app, loadbay_maintenance, loadbay_operator;

CREATE OR REPLACE FUNCTION loadbay.current_organisation()
 RETURNS bigint
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
RETURN (NULLIF(current_setting('app.organisation'::text, true), ''::text))::bigint;

CREATE OR REPLACE PROCEDURE loadbay.isolate_tenants(IN t regclass)
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $procedure$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %s TO loadbay_app
                        USING (organisation_id = (SELECT loadbay.current_organisation()))
                        WITH CHECK (organisation_id = (SELECT loadbay.current_organisation()))', t);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO loadbay_app', t);
    CALL loadbay.assume_organisations(t);
END $procedure$;

CREATE OR REPLACE PROCEDURE loadbay.admit_maintenance(IN t regclass)
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $procedure$
BEGIN
    EXECUTE format('CREATE POLICY maintenance ON %s TO loadbay_maintenance USING (true) WITH CHECK (true)', t);
    EXECUTE format('GRANT SELECT (job_id), DELETE ON %s TO loadbay_maintenance', t);
    CALL loadbay.admit_key_columns(t);
END $procedure$;

CREATE OR REPLACE FUNCTION loadbay.forget_plans()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    DISCARD PLANS;
END $function$;

CREATE OR REPLACE PROCEDURE loadbay.assume_organisations(IN t regclass)
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $procedure$
BEGIN
    EXECUTE format('ALTER TABLE %s ALTER COLUMN organisation_id SET (n_distinct = 200)', t);
    EXECUTE format('ALTER TABLE %s SET (autovacuum_analyze_threshold = 1000, autovacuum_vacuum_threshold = 1000)', t);
END $procedure$;

CREATE OR REPLACE PROCEDURE loadbay.admit_operator(IN t regclass)
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $procedure$
BEGIN
    EXECUTE format('CREATE POLICY operator ON %s TO loadbay_operator
                        USING (organisation_id = (SELECT loadbay.current_organisation()))
                        WITH CHECK (organisation_id = (SELECT loadbay.current_organisation()))', t);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE ON %s TO loadbay_operator', t);
END $procedure$;

CREATE OR REPLACE FUNCTION loadbay.capture_changes()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    mode     text := coalesce(current_setting('app.capture', true), '');
    columns  name[];
    sourced  boolean;
    fresh    text;
    stale    text;
    after    text;
    before   text;
    captured text;
BEGIN
    IF mode = '' THEN
        RETURN NULL;
    END IF;
    SELECT array_agg(attname ORDER BY attnum),
           'ROW(' || string_agg(format('n.%I', attname), ',' ORDER BY attnum) || ')',
           'ROW(' || string_agg(format('o.%I', attname), ',' ORDER BY attnum) || ')',
           'ROW(' || string_agg(format(changed, attname, 'n'), ',' ORDER BY attnum) || ')',
           'ROW(' || string_agg(format(changed, attname, 'o'), ',' ORDER BY attnum) || ')'
    INTO columns, fresh, stale, after, before
    FROM pg_attribute,
         LATERAL (SELECT CASE WHEN atttypid = ANY ('{text,uuid,boolean,smallint,integer,bigint,date,timestamptz,text[]}'::regtype[])
             THEN 'CASE WHEN n.%1$I IS DISTINCT FROM o.%1$I THEN %2$s.%1$I END' ELSE '%2$s.%1$I' END) AS v(changed)
    WHERE attrelid = TG_RELID AND attnum > 0 AND NOT attisdropped
      AND attname <> ALL ('{organisation_id,source_job,source_row,source_cells,source_before}');
    sourced := EXISTS (SELECT FROM pg_attribute WHERE attrelid = TG_RELID AND attname = 'source_job' AND NOT attisdropped);
    EXECUTE replace(replace(replace(replace(regexp_replace(CASE
        WHEN TG_OP = 'INSERT' AND mode = 'values' THEN $q$
            SELECT string_agg(concat_ws(' ', {n.source_row}, n.id, hash_record_extended($n, 0), octet_length(v.n), v.n), E'\n')
            FROM fresh AS n, LATERAL (SELECT $n::text AS n OFFSET 0) AS v$q$
        WHEN TG_OP = 'INSERT' THEN $q$
            SELECT string_agg(concat_ws(' ', {n.source_row}, n.id, hash_record_extended($n, 0)), E'\n')
            FROM fresh AS n$q$
        WHEN TG_OP = 'DELETE' THEN $q$
            SELECT string_agg(concat_ws(' ', {o.source_row}, o.id, {o.source_job}, {o.source_row}, octet_length(v.o), v.o), E'\n')
            FROM stale AS o, LATERAL (SELECT $o::text AS o OFFSET 0) AS v$q$
        ELSE $q$
            SELECT string_agg(concat_ws(' ', {n.source_row}, n.id, {o.source_job}, {o.source_row}, octet_length(v.o), v.o,
                       CASE WHEN {n.source_job} = {o.source_job} THEN hash_record_extended($n, 0) ELSE 0 END, octet_length(v.n), v.n), E'\n')
            FROM stale AS o
            JOIN fresh AS n USING (id), LATERAL (SELECT $before::text AS o, $after::text AS n OFFSET 0) AS v
            WHERE {n.source_job} <> {o.source_job} OR $n IS DISTINCT FROM $o$q$
        END, '{(.*?)}', CASE WHEN sourced THEN 'coalesce(\1, 0)' ELSE '0' END, 'g'), '$before', before), '$after', after), '$n', fresh), '$o', stale)
    INTO captured;
    IF captured IS NOT NULL THEN
        PERFORM set_config('app.captured', coalesce(current_setting('app.captured', true), '')
            || TG_OP || CASE WHEN TG_OP = 'INSERT' AND mode = 'values' THEN '+' ELSE '' END
            || ' ' || TG_TABLE_NAME || ' ' || columns::text || E'\n' || captured || E'\n', true);
    END IF;
    RETURN NULL;
END $function$;

CREATE OR REPLACE PROCEDURE loadbay.capture_changes_of(IN t regclass)
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $procedure$
BEGIN
    EXECUTE format('CREATE OR REPLACE TRIGGER capture_inserts AFTER INSERT ON %s REFERENCING NEW TABLE AS fresh
                        FOR EACH STATEMENT WHEN (current_setting(''app.capture'', true) <> '''') EXECUTE FUNCTION loadbay.capture_changes()', t);
    EXECUTE format('CREATE OR REPLACE TRIGGER capture_updates AFTER UPDATE ON %s REFERENCING OLD TABLE AS stale NEW TABLE AS fresh
                        FOR EACH STATEMENT WHEN (current_setting(''app.capture'', true) <> '''') EXECUTE FUNCTION loadbay.capture_changes()', t);
    EXECUTE format('CREATE OR REPLACE TRIGGER capture_deletes AFTER DELETE ON %s REFERENCING OLD TABLE AS stale
                        FOR EACH STATEMENT WHEN (current_setting(''app.capture'', true) <> '''') EXECUTE FUNCTION loadbay.capture_changes()', t);
END $procedure$;

CREATE OR REPLACE FUNCTION loadbay.without_values(document jsonb, whole text[], patterns text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'loadbay', 'pg_temp'
AS $function$
DECLARE
    text_value text := lower(normalize(document #>> '{}', NFKC));
BEGIN
    RETURN CASE jsonb_typeof(document)
        WHEN 'string' THEN CASE WHEN text_value = ANY (whole) OR text_value LIKE ANY (patterns) THEN '"Erased."' ELSE document END
        WHEN 'array' THEN (SELECT coalesce(jsonb_agg(without_values(e, whole, patterns) ORDER BY n), '[]') FROM jsonb_array_elements(document) WITH ORDINALITY AS elements (e, n))
        WHEN 'object' THEN (
            SELECT coalesce(jsonb_object_agg(k, CASE
                WHEN k IN ('op', 'field') THEN v
                WHEN k = 'values' AND jsonb_typeof(v) = 'object' THEN (
                    SELECT coalesce(jsonb_object_agg(
                        CASE WHEN lower(normalize(text, NFKC)) = ANY (whole) OR lower(normalize(text, NFKC)) LIKE ANY (patterns) THEN 'Erased.' ELSE text END,
                        without_values(target, whole, patterns)), '{}')
                    FROM jsonb_each(v) AS mapped (text, target))
                ELSE without_values(v, whole, patterns) END), '{}')
            FROM jsonb_each(document) AS members (k, v))
        ELSE document
    END;
END $function$;

CREATE OR REPLACE PROCEDURE loadbay.let_oversee(IN t regclass, IN columns text)
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $procedure$
BEGIN
    EXECUTE format('CREATE POLICY operator ON %s FOR SELECT TO loadbay_operator USING (true)', t);
    EXECUTE format('GRANT SELECT (%s) ON %s TO loadbay_operator', columns, t);
END $procedure$;

CREATE OR REPLACE FUNCTION loadbay.allow_whole_tables()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    NEW.whole_tables := NEW.whole_tables OR NOT EXISTS (SELECT FROM loadbay.organisations);
    RETURN NEW;
END $function$;

CREATE OR REPLACE PROCEDURE loadbay.admit_key_columns(IN t regclass)
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $procedure$
DECLARE
    columns text;
BEGIN
    SELECT string_agg(format('%I', attname), ', ' ORDER BY attnum) INTO columns
    FROM pg_attribute
    JOIN pg_index ON indrelid = attrelid AND indisprimary AND attnum = ANY (indkey)
    WHERE attrelid = t AND atttypid <> 'text'::regtype;
    IF columns IS NOT NULL THEN
        EXECUTE format('GRANT SELECT (%s) ON %s TO loadbay_maintenance', columns, t);
    END IF;
END $procedure$;

CREATE OR REPLACE FUNCTION loadbay.next_id(of text)
 RETURNS bigint
 LANGUAGE sql
RETURN nextval(((((('loadbay."ids_of_'::text || ((NULLIF(current_setting('app.organisation'::text, true), ''::text))::bigint)::text) || '_'::text) || of) || '"'::text))::regclass);

CREATE OR REPLACE FUNCTION loadbay.number_row()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    NEW.id := nextval(format('loadbay.%I', format('ids_of_%s_%s', NEW.organisation_id, TG_TABLE_NAME))::regclass);
    RETURN NEW;
END $function$;

CREATE OR REPLACE PROCEDURE loadbay.create_ids(IN organisation bigint, IN of name, IN first bigint)
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $procedure$
DECLARE
    name CONSTANT text := format('ids_of_%s_%s', organisation, of);
BEGIN
    EXECUTE format('CREATE SEQUENCE IF NOT EXISTS loadbay.%I START WITH %s', name, first);
    EXECUTE format('GRANT USAGE ON SEQUENCE loadbay.%I TO loadbay_app, loadbay_operator', name);
END $procedure$;

CREATE OR REPLACE PROCEDURE loadbay.number_rows_of(IN t regclass, IN first bigint DEFAULT 1)
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $procedure$
DECLARE
    numbered CONSTANT name := (SELECT relname FROM pg_class WHERE oid = t);
    found    bigint;
BEGIN
    EXECUTE format('ALTER TABLE %s ALTER COLUMN id SET DEFAULT loadbay.next_id(%L)', t, numbered);
    EXECUTE format('CREATE OR REPLACE TRIGGER number_row BEFORE INSERT ON %s
                        FOR EACH ROW WHEN (NEW.id IS NULL) EXECUTE FUNCTION loadbay.number_row()', t);
    ALTER TABLE loadbay.organisations NO FORCE ROW LEVEL SECURITY;
    FOR found IN SELECT id FROM loadbay.organisations LOOP
        CALL loadbay.create_ids(found, numbered, first);
    END LOOP;
    ALTER TABLE loadbay.organisations FORCE ROW LEVEL SECURITY;
END $procedure$;

CREATE OR REPLACE FUNCTION loadbay.create_ids_of_organisation()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    numbered name;
BEGIN
    FOR numbered IN SELECT relname FROM pg_class JOIN pg_trigger ON tgrelid = pg_class.oid WHERE tgfoid = 'loadbay.number_row()'::regprocedure ORDER BY 1 LOOP
        CALL loadbay.create_ids(NEW.id, numbered, 1);
    END LOOP;
    RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION loadbay.require_confirmed_deletion()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF current_user = 'loadbay_app' AND NOT EXISTS (
        SELECT FROM loadbay.organisation_deletions
        WHERE organisation_id = (to_jsonb(OLD) ->> TG_ARGV[0])::bigint AND confirmed_at IS NOT NULL
    ) THEN
        RAISE insufficient_privilege USING MESSAGE = format('%s is only deleted with its organisation', TG_TABLE_NAME);
    END IF;
    RETURN OLD;
END $function$;

CREATE OR REPLACE FUNCTION loadbay.keep_receipt()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    RAISE insufficient_privilege USING MESSAGE = 'a confirmed deletion is not withdrawn';
END $function$;

CREATE OR REPLACE FUNCTION loadbay.add_organisation()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    UPDATE loadbay.organisations SET whole_tables = false WHERE id <> NEW.id AND whole_tables AND NOT whole_tables_granted;
    INSERT INTO loadbay.table_grants (organisation_id, id, every_organisation, table_schema, table_name, tenant, modes, reference_only, granted_by, granted_at)
    SELECT DISTINCT ON (g.id) NEW.id, g.id, true, g.table_schema, g.table_name, g.tenant, g.modes, g.reference_only, g.granted_by, g.granted_at
    FROM loadbay.table_grants AS g
    WHERE g.every_organisation;
    RETURN NULL;
END $function$;

CREATE SEQUENCE loadbay.import_changes_place;
GRANT USAGE ON SEQUENCE loadbay.import_changes_place TO loadbay_app;

CREATE TABLE loadbay.organisations (
    id                      bigint NOT NULL,
    name                    text NOT NULL,
    created_at              timestamp with time zone NOT NULL DEFAULT now(),
    max_open_imports        bigint,
    max_announced_bytes     bigint,
    max_open_exports        bigint,
    max_streams             bigint,
    max_requests_per_minute bigint,
    updated_at              timestamp with time zone NOT NULL DEFAULT now(),
    deactivated_at          timestamp with time zone,
    mail_domains            text[] NOT NULL DEFAULT '{}'::text[],
    whole_tables            boolean NOT NULL DEFAULT false,
    whole_tables_granted    boolean NOT NULL DEFAULT false,
    CONSTRAINT organisations_pkey PRIMARY KEY (id),
    CONSTRAINT organisations_mail_domains_check CHECK (cardinality(mail_domains) <= 20),
    CONSTRAINT organisations_max_announced_bytes_check CHECK (max_announced_bytes >= 0),
    CONSTRAINT organisations_max_open_exports_check CHECK (max_open_exports >= 0),
    CONSTRAINT organisations_max_open_imports_check CHECK (max_open_imports >= 0),
    CONSTRAINT organisations_max_requests_per_minute_check CHECK (max_requests_per_minute >= 0),
    CONSTRAINT organisations_max_streams_check CHECK (max_streams >= 0)
);
CREATE UNIQUE INDEX organisations_name ON loadbay.organisations USING btree (lower(name));
CREATE TRIGGER add_organisation AFTER INSERT ON loadbay.organisations FOR EACH ROW EXECUTE FUNCTION loadbay.add_organisation();
CREATE TRIGGER allow_whole_tables BEFORE INSERT ON loadbay.organisations FOR EACH ROW EXECUTE FUNCTION loadbay.allow_whole_tables();
CREATE TRIGGER create_ids AFTER INSERT ON loadbay.organisations FOR EACH ROW EXECUTE FUNCTION loadbay.create_ids_of_organisation();
CREATE TRIGGER require_confirmed_deletion BEFORE DELETE ON loadbay.organisations FOR EACH ROW EXECUTE FUNCTION loadbay.require_confirmed_deletion('id');
ALTER TABLE loadbay.organisations ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.organisations FORCE ROW LEVEL SECURITY;
CREATE POLICY operator ON loadbay.organisations TO loadbay_operator USING (true) WITH CHECK (true);
CREATE POLICY tenant ON loadbay.organisations TO loadbay_app USING (id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, DELETE ON loadbay.organisations TO loadbay_app;
GRANT SELECT, INSERT, UPDATE ON loadbay.organisations TO loadbay_operator;

CREATE TABLE sample.countries (
    id   smallint NOT NULL,
    code text NOT NULL,
    iso3 text NOT NULL,
    name text NOT NULL,
    CONSTRAINT countries_pkey PRIMARY KEY (id),
    CONSTRAINT countries_code_key UNIQUE (code),
    CONSTRAINT countries_iso3_key UNIQUE (iso3),
    CONSTRAINT countries_name_key UNIQUE (name),
    CONSTRAINT countries_code_check CHECK (code ~ '^[A-Z]{2}$'::text),
    CONSTRAINT countries_iso3_check CHECK (iso3 ~ '^[A-Z]{3}$'::text)
);
GRANT SELECT ON sample.countries TO loadbay_app;

CREATE TABLE loadbay.import_jobs (
    id                  bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    uuid                uuid NOT NULL,
    organisation_id     bigint NOT NULL,
    import_type         text NOT NULL,
    context_id          bigint,
    status              text NOT NULL DEFAULT 'UPLOADED'::text,
    mode                text NOT NULL,
    auto_start          boolean NOT NULL DEFAULT false,
    whole_file          boolean NOT NULL DEFAULT false,
    cells_skipped       boolean NOT NULL DEFAULT false,
    dry_run             boolean NOT NULL DEFAULT false,
    original_filename   text NOT NULL,
    content_type        text NOT NULL DEFAULT ''::text,
    object_key          text NOT NULL,
    size_bytes          bigint NOT NULL,
    sha256              text NOT NULL DEFAULT ''::text,
    options             jsonb NOT NULL DEFAULT '{}'::jsonb,
    dialect             jsonb,
    warnings            text[] NOT NULL DEFAULT '{}'::text[],
    result              jsonb,
    request_id          text NOT NULL,
    retry_of            uuid,
    total_rows          bigint NOT NULL DEFAULT 0,
    created_count       bigint NOT NULL DEFAULT 0,
    updated_count       bigint NOT NULL DEFAULT 0,
    skipped_count       bigint NOT NULL DEFAULT 0,
    error_count         bigint NOT NULL DEFAULT 0,
    deferred_count      bigint NOT NULL DEFAULT 0,
    file_lines          bigint NOT NULL DEFAULT 0,
    blank_lines         bigint NOT NULL DEFAULT 0,
    header_lines        bigint NOT NULL DEFAULT 0,
    chunk_total         integer NOT NULL DEFAULT 0,
    chunks_done         integer NOT NULL DEFAULT 0,
    split_complete      boolean NOT NULL DEFAULT false,
    callback_pending    boolean NOT NULL DEFAULT false,
    failure_code        text,
    failure_message     text,
    created_at          timestamp with time zone NOT NULL DEFAULT now(),
    updated_at          timestamp with time zone NOT NULL DEFAULT now(),
    uploaded_at         timestamp with time zone,
    started_at          timestamp with time zone,
    completed_at        timestamp with time zone,
    reconciled_at       timestamp with time zone,
    batch_id            text,
    uploader            text,
    event_count         integer NOT NULL DEFAULT 0,
    announced           boolean NOT NULL DEFAULT false,
    file_repeatable     boolean NOT NULL DEFAULT false,
    object_etag         text NOT NULL DEFAULT ''::text,
    review              text,
    machine             integer NOT NULL DEFAULT 0,
    rereads             integer NOT NULL DEFAULT 0,
    options_before      jsonb,
    bytes_read          bigint NOT NULL DEFAULT 0,
    skip_mapping_phases boolean,
    rerun               boolean NOT NULL DEFAULT false,
    label               text NOT NULL DEFAULT ''::text,
    max_errors          text,
    notify              text[] NOT NULL DEFAULT '{}'::text[],
    profile_id          uuid,
    profile_name        text,
    profile_version     integer,
    profile_choice      text,
    purpose             text NOT NULL DEFAULT 'IMPORT'::text,
    plan                boolean NOT NULL DEFAULT false,
    undo_of             uuid,
    unchanged_count     bigint NOT NULL DEFAULT 0,
    approval            text,
    guards              jsonb,
    plan_digest         text,
    on_stale            text,
    applied_at          timestamp with time zone,
    applied_by          text,
    undo_mode           text,
    undo_days           smallint NOT NULL DEFAULT 30,
    undo_until          timestamp with time zone,
    files_purged        boolean NOT NULL DEFAULT false,
    changes_purged      boolean NOT NULL DEFAULT false,
    upload_id           text,
    files_due           boolean NOT NULL DEFAULT false,
    columns_said_by     text,
    contributors        text[] NOT NULL DEFAULT '{}'::text[],
    import_options      jsonb NOT NULL DEFAULT '{}'::jsonb,
    type_version        integer,
    CONSTRAINT import_jobs_pkey PRIMARY KEY (id),
    CONSTRAINT import_jobs_uuid_key UNIQUE (uuid),
    CONSTRAINT import_jobs_applied CHECK ((applied_at IS NULL OR plan AND plan_digest IS NOT NULL AND on_stale IS NOT NULL) AND (purpose <> 'PLAN'::text OR plan)),
    CONSTRAINT import_jobs_approval_check CHECK (approval = ANY (ARRAY['any'::text, 'other'::text])),
    CONSTRAINT import_jobs_batch_complete CHECK (batch_id IS NULL OR uploader IS NOT NULL AND (file_repeatable OR length(sha256) = 64)),
    CONSTRAINT import_jobs_batch_counts CHECK (batch_id IS NULL OR status <> 'COMPLETED'::text OR total_rows = (created_count + error_count + skipped_count)),
    CONSTRAINT import_jobs_batch_id_check CHECK (batch_id ~ '^BU\d{8}\d{4}$'::text),
    CONSTRAINT import_jobs_bytes_read_check CHECK (bytes_read >= 0),
    CONSTRAINT import_jobs_check CHECK (chunks_done <= chunk_total OR NOT split_complete),
    CONSTRAINT import_jobs_check1 CHECK ((completed_at IS NOT NULL) = (status = ANY (ARRAY['COMPLETED'::text, 'FAILED'::text, 'CANCELLED'::text]))),
    CONSTRAINT import_jobs_contributors_check CHECK (cardinality(contributors) <= 200),
    CONSTRAINT import_jobs_created_count_check CHECK (created_count >= 0),
    CONSTRAINT import_jobs_deferred_count_check CHECK (deferred_count >= 0),
    CONSTRAINT import_jobs_error_count_check CHECK (error_count >= 0),
    CONSTRAINT import_jobs_import_options_check CHECK (jsonb_typeof(import_options) = 'object'::text),
    CONSTRAINT import_jobs_label_check CHECK (length(label) <= 100),
    CONSTRAINT import_jobs_machine_check CHECK (machine >= 0),
    CONSTRAINT import_jobs_max_errors_check CHECK (max_errors ~ '^(\d{1,9}|\d{1,2}(\.\d{1,2})?%)$'::text),
    CONSTRAINT import_jobs_mode_check CHECK (mode = ANY (ARRAY['insert'::text, 'upsert'::text, 'update'::text])),
    CONSTRAINT import_jobs_notify_check CHECK (cardinality(notify) <= 10),
    CONSTRAINT import_jobs_object_etag_check CHECK (length(object_etag) <= 1024),
    CONSTRAINT import_jobs_on_stale_check CHECK (on_stale = ANY (ARRAY['skip'::text, 'abort'::text, 'overwrite'::text])),
    CONSTRAINT import_jobs_original_filename_check CHECK (length(original_filename) <= 255),
    CONSTRAINT import_jobs_plan_digest_check CHECK (plan_digest ~ '^[0-9a-f]{64}$'::text),
    CONSTRAINT import_jobs_profile_choice_check CHECK (profile_choice = ANY (ARRAY['NAME'::text, 'DROP_FOLDER'::text, 'FINGERPRINT'::text])),
    CONSTRAINT import_jobs_profile_named CHECK ((profile_name IS NULL) = (profile_version IS NULL) AND (profile_id IS NULL OR profile_name IS NOT NULL)),
    CONSTRAINT import_jobs_purpose CHECK ((purpose = ANY (ARRAY['IMPORT'::text, 'PLAN'::text, 'UNDO'::text])) AND (purpose = 'UNDO'::text) = (undo_of IS NOT NULL)),
    CONSTRAINT import_jobs_rereads_check CHECK (rereads >= 0),
    CONSTRAINT import_jobs_rerun CHECK (NOT rerun OR retry_of IS NOT NULL),
    CONSTRAINT import_jobs_review_check CHECK (review = ANY (ARRAY['always'::text, 'unsure'::text, 'never'::text])),
    CONSTRAINT import_jobs_sha256_check CHECK (sha256 ~ '^([0-9a-f]{64})?$'::text),
    CONSTRAINT import_jobs_size_bytes_check CHECK (size_bytes >= 0),
    CONSTRAINT import_jobs_skipped_count_check CHECK (skipped_count >= 0),
    CONSTRAINT import_jobs_status_check CHECK (status = ANY (ARRAY['UPLOADED'::text, 'COLUMN_MAPPING'::text, 'CELL_MAPPING'::text, 'PROCESSING'::text, 'AWAITING_APPROVAL'::text, 'COMPLETED'::text, 'FAILED'::text, 'CANCELLED'::text])),
    CONSTRAINT import_jobs_type_version_check CHECK (type_version > 0),
    CONSTRAINT import_jobs_unchanged_count_check CHECK (unchanged_count >= 0),
    CONSTRAINT import_jobs_undo CHECK (undo_until IS NULL OR completed_at IS NOT NULL AND undo_days > 0 AND NOT dry_run),
    CONSTRAINT import_jobs_undo_days_check CHECK (undo_days >= 0 AND undo_days <= 90),
    CONSTRAINT import_jobs_undo_mode CHECK (undo_mode IS NULL OR purpose = 'UNDO'::text),
    CONSTRAINT import_jobs_undo_mode_check CHECK (undo_mode = ANY (ARRAY['safe'::text, 'cascade'::text, 'force'::text])),
    CONSTRAINT import_jobs_updated_count_check CHECK (updated_count >= 0),
    CONSTRAINT import_jobs_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES loadbay.organisations(id)
);
ALTER TABLE loadbay.import_jobs SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.import_jobs ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE UNIQUE INDEX import_jobs_batch_file ON loadbay.import_jobs USING btree (organisation_id, import_type, sha256) WHERE batch_id IS NOT NULL AND NOT file_repeatable AND (status <> ALL (ARRAY['FAILED'::text, 'CANCELLED'::text]));
CREATE UNIQUE INDEX import_jobs_batch_key ON loadbay.import_jobs USING btree (organisation_id, batch_id) WHERE batch_id IS NOT NULL;
CREATE INDEX import_jobs_batch_status ON loadbay.import_jobs USING btree (organisation_id, (
CASE
    WHEN status = 'COMPLETED'::text THEN 'COMPLETED'::text
    WHEN completed_at IS NOT NULL THEN 'FAILED'::text
    ELSE 'PROCESSING'::text
END), id DESC) WHERE batch_id IS NOT NULL;
CREATE INDEX import_jobs_batch_uploader ON loadbay.import_jobs USING btree (organisation_id, uploader, id DESC) WHERE batch_id IS NOT NULL;
CREATE INDEX import_jobs_created ON loadbay.import_jobs USING btree (organisation_id, created_at) WHERE created_at IS NOT NULL;
CREATE INDEX import_jobs_dropped ON loadbay.import_jobs USING btree (organisation_id, object_key, id) WHERE object_key ~~ 'drop/%'::text;
CREATE INDEX import_jobs_ended ON loadbay.import_jobs USING btree (completed_at) WHERE completed_at IS NOT NULL;
CREATE INDEX import_jobs_file ON loadbay.import_jobs USING hash (sha256) WHERE sha256 <> ''::text;
CREATE INDEX import_jobs_label ON loadbay.import_jobs USING btree (organisation_id, label, id DESC) WHERE label <> ''::text;
CREATE INDEX import_jobs_open ON loadbay.import_jobs USING btree (callback_pending DESC, reconciled_at NULLS FIRST) WHERE status <> ALL (ARRAY['COMPLETED'::text, 'FAILED'::text, 'CANCELLED'::text]);
CREATE UNIQUE INDEX import_jobs_organisation_id_id_key ON loadbay.import_jobs USING btree (organisation_id, id);
CREATE INDEX import_jobs_profile ON loadbay.import_jobs USING btree (profile_id, id DESC) WHERE profile_id IS NOT NULL;
CREATE INDEX import_jobs_quota ON loadbay.import_jobs USING btree (organisation_id, size_bytes) WHERE status <> ALL (ARRAY['COMPLETED'::text, 'FAILED'::text, 'CANCELLED'::text]);
CREATE INDEX import_jobs_retries ON loadbay.import_jobs USING btree (retry_of, id) WHERE retry_of IS NOT NULL;
CREATE INDEX import_jobs_status ON loadbay.import_jobs USING btree (organisation_id, status, id DESC) WHERE status IS NOT NULL;
CREATE INDEX import_jobs_type ON loadbay.import_jobs USING btree (organisation_id, import_type, id DESC) WHERE import_type IS NOT NULL;
CREATE INDEX import_jobs_undo_over ON loadbay.import_jobs USING btree (undo_until) WHERE undo_until IS NOT NULL AND NOT changes_purged;
CREATE INDEX import_jobs_undos ON loadbay.import_jobs USING btree (undo_of, id) WHERE undo_of IS NOT NULL;
CREATE INDEX import_jobs_uploader ON loadbay.import_jobs USING btree (organisation_id, uploader, id DESC) WHERE uploader IS NOT NULL;
ALTER TABLE loadbay.import_jobs ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.import_jobs FORCE ROW LEVEL SECURITY;
CREATE POLICY maintenance ON loadbay.import_jobs TO loadbay_maintenance USING (true) WITH CHECK (true);
CREATE POLICY operator ON loadbay.import_jobs FOR SELECT TO loadbay_operator USING (true);
CREATE POLICY tenant ON loadbay.import_jobs TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.import_jobs TO loadbay_app;
GRANT SELECT, UPDATE, DELETE ON loadbay.import_jobs TO loadbay_maintenance;
GRANT SELECT (id) ON loadbay.import_jobs TO loadbay_operator;
GRANT SELECT (uuid) ON loadbay.import_jobs TO loadbay_operator;
GRANT SELECT (organisation_id) ON loadbay.import_jobs TO loadbay_operator;
GRANT SELECT (import_type) ON loadbay.import_jobs TO loadbay_operator;
GRANT SELECT (status) ON loadbay.import_jobs TO loadbay_operator;
GRANT SELECT (total_rows) ON loadbay.import_jobs TO loadbay_operator;
GRANT SELECT (created_count) ON loadbay.import_jobs TO loadbay_operator;
GRANT SELECT (updated_count) ON loadbay.import_jobs TO loadbay_operator;
GRANT SELECT (skipped_count) ON loadbay.import_jobs TO loadbay_operator;
GRANT SELECT (error_count) ON loadbay.import_jobs TO loadbay_operator;
GRANT SELECT (chunk_total) ON loadbay.import_jobs TO loadbay_operator;
GRANT SELECT (chunks_done) ON loadbay.import_jobs TO loadbay_operator;
GRANT SELECT (split_complete) ON loadbay.import_jobs TO loadbay_operator;
GRANT SELECT (callback_pending) ON loadbay.import_jobs TO loadbay_operator;
GRANT SELECT (failure_code) ON loadbay.import_jobs TO loadbay_operator;
GRANT SELECT (created_at) ON loadbay.import_jobs TO loadbay_operator;
GRANT SELECT (updated_at) ON loadbay.import_jobs TO loadbay_operator;
GRANT SELECT (uploaded_at) ON loadbay.import_jobs TO loadbay_operator;
GRANT SELECT (started_at) ON loadbay.import_jobs TO loadbay_operator;
GRANT SELECT (completed_at) ON loadbay.import_jobs TO loadbay_operator;
GRANT SELECT (purpose) ON loadbay.import_jobs TO loadbay_operator;
GRANT SELECT (unchanged_count) ON loadbay.import_jobs TO loadbay_operator;

CREATE TABLE loadbay.import_sources (
    job_id          bigint NOT NULL,
    organisation_id bigint NOT NULL,
    url             text NOT NULL,
    touched_at      timestamp with time zone NOT NULL DEFAULT now(),
    requeues        integer NOT NULL DEFAULT 0,
    CONSTRAINT import_sources_pkey PRIMARY KEY (job_id),
    CONSTRAINT import_sources_requeues_check CHECK (requeues >= 0),
    CONSTRAINT import_sources_url_check CHECK (length(url) <= 8192),
    CONSTRAINT import_sources_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES loadbay.import_jobs(organisation_id, id) ON DELETE CASCADE
);
ALTER TABLE loadbay.import_sources SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.import_sources ALTER COLUMN organisation_id SET (n_distinct=200);
ALTER TABLE loadbay.import_sources ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.import_sources FORCE ROW LEVEL SECURITY;
CREATE POLICY maintenance ON loadbay.import_sources TO loadbay_maintenance USING (true) WITH CHECK (true);
CREATE POLICY operator ON loadbay.import_sources FOR SELECT TO loadbay_operator USING (true);
CREATE POLICY tenant ON loadbay.import_sources TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.import_sources TO loadbay_app;
GRANT DELETE ON loadbay.import_sources TO loadbay_maintenance;
GRANT SELECT (ctid) ON loadbay.import_sources TO loadbay_maintenance;
GRANT SELECT (job_id) ON loadbay.import_sources TO loadbay_maintenance;
GRANT SELECT (organisation_id) ON loadbay.import_sources TO loadbay_maintenance;
GRANT SELECT (touched_at) ON loadbay.import_sources TO loadbay_maintenance;
GRANT UPDATE (touched_at) ON loadbay.import_sources TO loadbay_maintenance;
GRANT SELECT (requeues) ON loadbay.import_sources TO loadbay_maintenance;
GRANT UPDATE (requeues) ON loadbay.import_sources TO loadbay_maintenance;
GRANT SELECT (job_id) ON loadbay.import_sources TO loadbay_operator;
GRANT SELECT (touched_at) ON loadbay.import_sources TO loadbay_operator;
GRANT SELECT (requeues) ON loadbay.import_sources TO loadbay_operator;

CREATE TABLE loadbay.purged_jobs (
    uuid            uuid NOT NULL,
    organisation_id bigint NOT NULL,
    purged_at       timestamp with time zone NOT NULL DEFAULT now(),
    CONSTRAINT purged_jobs_pkey PRIMARY KEY (uuid)
);
ALTER TABLE loadbay.purged_jobs SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.purged_jobs ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE INDEX purged_jobs_age ON loadbay.purged_jobs USING btree (purged_at);
CREATE INDEX purged_jobs_organisation ON loadbay.purged_jobs USING btree (organisation_id);
ALTER TABLE loadbay.purged_jobs ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.purged_jobs FORCE ROW LEVEL SECURITY;
CREATE POLICY maintenance ON loadbay.purged_jobs TO loadbay_maintenance USING (true) WITH CHECK (true);
CREATE POLICY tenant ON loadbay.purged_jobs TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.purged_jobs TO loadbay_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.purged_jobs TO loadbay_maintenance;

CREATE TABLE loadbay.import_column_mappings (
    id              bigint NOT NULL DEFAULT loadbay.next_id('import_column_mappings'::text),
    job_id          bigint NOT NULL,
    organisation_id bigint NOT NULL,
    column_index    integer NOT NULL,
    source_header   text NOT NULL,
    target_field    text,
    status          text NOT NULL,
    confidence      real NOT NULL DEFAULT 0,
    samples         text[] NOT NULL DEFAULT '{}'::text[],
    confirmed       boolean NOT NULL DEFAULT false,
    decided         boolean NOT NULL DEFAULT false,
    locale          jsonb NOT NULL DEFAULT '{}'::jsonb,
    more_columns    integer[] NOT NULL DEFAULT '{}'::integer[],
    separator       text NOT NULL DEFAULT ''::text,
    constant        text,
    transforms      jsonb NOT NULL DEFAULT '[]'::jsonb,
    matched_by      text NOT NULL DEFAULT ''::text,
    content         jsonb NOT NULL DEFAULT '{}'::jsonb,
    CONSTRAINT import_column_mappings_pkey PRIMARY KEY (job_id, id),
    CONSTRAINT import_column_mappings_job_id_column_index_key UNIQUE (job_id, column_index),
    CONSTRAINT import_column_mappings_check CHECK (constant IS NULL OR column_index < 0 AND cardinality(more_columns) = 0),
    CONSTRAINT import_column_mappings_matched_by_check CHECK (matched_by = ANY (ARRAY[''::text, 'exact'::text, 'alias'::text, 'similar'::text, 'content'::text, 'profile'::text, 'mapping'::text, 'person'::text])),
    CONSTRAINT import_column_mappings_more_columns_check CHECK (cardinality(more_columns) <= 20),
    CONSTRAINT import_column_mappings_separator_check CHECK (length(separator) <= 20),
    CONSTRAINT import_column_mappings_status_check CHECK (status = ANY (ARRAY['AUTO_MATCHED'::text, 'MANUAL_MATCHED'::text, 'UNRESOLVED'::text, 'IGNORED'::text])),
    CONSTRAINT import_column_mappings_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES loadbay.import_jobs(organisation_id, id) ON DELETE CASCADE
);
ALTER TABLE loadbay.import_column_mappings SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.import_column_mappings ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE UNIQUE INDEX import_column_mappings_target ON loadbay.import_column_mappings USING btree (job_id, target_field) WHERE target_field IS NOT NULL;
CREATE TRIGGER number_row BEFORE INSERT ON loadbay.import_column_mappings FOR EACH ROW WHEN (new.id IS NULL) EXECUTE FUNCTION loadbay.number_row();
ALTER TABLE loadbay.import_column_mappings ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.import_column_mappings FORCE ROW LEVEL SECURITY;
CREATE POLICY maintenance ON loadbay.import_column_mappings TO loadbay_maintenance USING (true) WITH CHECK (true);
CREATE POLICY tenant ON loadbay.import_column_mappings TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.import_column_mappings TO loadbay_app;
GRANT DELETE ON loadbay.import_column_mappings TO loadbay_maintenance;
GRANT SELECT (ctid) ON loadbay.import_column_mappings TO loadbay_maintenance;
GRANT SELECT (id) ON loadbay.import_column_mappings TO loadbay_maintenance;
GRANT SELECT (job_id) ON loadbay.import_column_mappings TO loadbay_maintenance;

CREATE TABLE loadbay.import_cell_mappings (
    id               bigint NOT NULL DEFAULT loadbay.next_id('import_cell_mappings'::text),
    job_id           bigint NOT NULL,
    organisation_id  bigint NOT NULL,
    target_field     text NOT NULL,
    source_value     text NOT NULL,
    status           text NOT NULL,
    target_entity_id text,
    row_count        bigint NOT NULL DEFAULT 0,
    first_row        bigint,
    confirmed        boolean NOT NULL DEFAULT false,
    create_new       boolean NOT NULL DEFAULT false,
    decided          boolean NOT NULL DEFAULT false,
    target_value     text,
    leave_empty      boolean NOT NULL DEFAULT false,
    alike            uuid NOT NULL GENERATED ALWAYS AS (md5(lower(source_value))::uuid) STORED,
    CONSTRAINT import_cell_mappings_pkey PRIMARY KEY (job_id, id),
    CONSTRAINT import_cell_mappings_check CHECK (NOT create_new OR target_entity_id IS NULL),
    CONSTRAINT import_cell_mappings_status_check CHECK (status = ANY (ARRAY['AUTO_MATCHED'::text, 'MANUAL_MATCHED'::text, 'UNRESOLVED'::text, 'IGNORED'::text])),
    CONSTRAINT import_cell_mappings_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES loadbay.import_jobs(organisation_id, id) ON DELETE CASCADE
);
ALTER TABLE loadbay.import_cell_mappings SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.import_cell_mappings ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE INDEX import_cell_mappings_alike ON loadbay.import_cell_mappings USING btree (job_id, target_field, alike);
CREATE INDEX import_cell_mappings_asked ON loadbay.import_cell_mappings USING btree (job_id, (status = 'UNRESOLVED'::text OR decided) DESC, row_count DESC, id);
CREATE UNIQUE INDEX import_cell_mappings_value_key ON loadbay.import_cell_mappings USING btree (job_id, target_field, md5(source_value));
CREATE TRIGGER number_row BEFORE INSERT ON loadbay.import_cell_mappings FOR EACH ROW WHEN (new.id IS NULL) EXECUTE FUNCTION loadbay.number_row();
ALTER TABLE loadbay.import_cell_mappings ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.import_cell_mappings FORCE ROW LEVEL SECURITY;
CREATE POLICY maintenance ON loadbay.import_cell_mappings TO loadbay_maintenance USING (true) WITH CHECK (true);
CREATE POLICY tenant ON loadbay.import_cell_mappings TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.import_cell_mappings TO loadbay_app;
GRANT DELETE ON loadbay.import_cell_mappings TO loadbay_maintenance;
GRANT SELECT (ctid) ON loadbay.import_cell_mappings TO loadbay_maintenance;
GRANT SELECT (id) ON loadbay.import_cell_mappings TO loadbay_maintenance;
GRANT SELECT (job_id) ON loadbay.import_cell_mappings TO loadbay_maintenance;

CREATE TABLE loadbay.import_column_decisions (
    id              bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    organisation_id bigint NOT NULL,
    import_type     text NOT NULL,
    header_key      text NOT NULL,
    header          text NOT NULL,
    target_field    text,
    decided_at      timestamp with time zone NOT NULL DEFAULT now(),
    decided_in      uuid,
    CONSTRAINT import_column_decisions_pkey PRIMARY KEY (id),
    CONSTRAINT import_column_decisions_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES loadbay.organisations(id)
);
ALTER TABLE loadbay.import_column_decisions SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.import_column_decisions ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE UNIQUE INDEX import_column_decisions_header_key ON loadbay.import_column_decisions USING btree (organisation_id, import_type, md5(header_key));
ALTER TABLE loadbay.import_column_decisions ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.import_column_decisions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON loadbay.import_column_decisions TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.import_column_decisions TO loadbay_app;

CREATE TABLE loadbay.import_cell_decisions (
    id               bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    organisation_id  bigint NOT NULL,
    import_type      text NOT NULL,
    target_field     text NOT NULL,
    value_key        text NOT NULL,
    source_value     text NOT NULL,
    target_entity_id text,
    decided_at       timestamp with time zone NOT NULL DEFAULT now(),
    create_new       boolean NOT NULL DEFAULT false,
    decided_in       uuid,
    CONSTRAINT import_cell_decisions_pkey PRIMARY KEY (id),
    CONSTRAINT import_cell_decisions_check CHECK (NOT create_new OR target_entity_id IS NULL),
    CONSTRAINT import_cell_decisions_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES loadbay.organisations(id)
);
ALTER TABLE loadbay.import_cell_decisions SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.import_cell_decisions ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE UNIQUE INDEX import_cell_decisions_value_key ON loadbay.import_cell_decisions USING btree (organisation_id, import_type, target_field, md5(value_key));
ALTER TABLE loadbay.import_cell_decisions ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.import_cell_decisions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON loadbay.import_cell_decisions TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.import_cell_decisions TO loadbay_app;

CREATE TABLE loadbay.import_chunks (
    job_id          bigint NOT NULL,
    organisation_id bigint NOT NULL,
    chunk_index     integer NOT NULL,
    object_key      text NOT NULL,
    byte_offset     bigint NOT NULL,
    byte_length     bigint NOT NULL,
    first_row       bigint NOT NULL,
    line_count      integer NOT NULL,
    row_count       integer NOT NULL,
    crc32c          bigint NOT NULL,
    done            boolean NOT NULL DEFAULT false,
    outcomes        bytea,
    repeated        bytea,
    CONSTRAINT import_chunks_pkey PRIMARY KEY (job_id, chunk_index),
    CONSTRAINT import_chunks_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES loadbay.import_jobs(organisation_id, id) ON DELETE CASCADE
);
ALTER TABLE loadbay.import_chunks SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.import_chunks ALTER COLUMN organisation_id SET (n_distinct=200);
ALTER TABLE loadbay.import_chunks ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.import_chunks FORCE ROW LEVEL SECURITY;
CREATE POLICY maintenance ON loadbay.import_chunks TO loadbay_maintenance USING (true) WITH CHECK (true);
CREATE POLICY operator ON loadbay.import_chunks FOR SELECT TO loadbay_operator USING (true);
CREATE POLICY tenant ON loadbay.import_chunks TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.import_chunks TO loadbay_app;
GRANT DELETE ON loadbay.import_chunks TO loadbay_maintenance;
GRANT SELECT (ctid) ON loadbay.import_chunks TO loadbay_maintenance;
GRANT SELECT (job_id) ON loadbay.import_chunks TO loadbay_maintenance;
GRANT SELECT (chunk_index) ON loadbay.import_chunks TO loadbay_maintenance;
GRANT SELECT (job_id) ON loadbay.import_chunks TO loadbay_operator;
GRANT SELECT (chunk_index) ON loadbay.import_chunks TO loadbay_operator;
GRANT SELECT (done) ON loadbay.import_chunks TO loadbay_operator;

CREATE TABLE loadbay.import_row_results (
    job_id          bigint NOT NULL,
    row_number      bigint NOT NULL,
    organisation_id bigint NOT NULL,
    outcome         "char" NOT NULL,
    faults          jsonb NOT NULL,
    CONSTRAINT import_row_results_pkey PRIMARY KEY (job_id, row_number)
);
ALTER TABLE loadbay.import_row_results SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.import_row_results ALTER COLUMN organisation_id SET (n_distinct=200);
ALTER TABLE loadbay.import_row_results ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.import_row_results FORCE ROW LEVEL SECURITY;
CREATE POLICY maintenance ON loadbay.import_row_results TO loadbay_maintenance USING (true) WITH CHECK (true);
CREATE POLICY tenant ON loadbay.import_row_results TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.import_row_results TO loadbay_app;
GRANT DELETE ON loadbay.import_row_results TO loadbay_maintenance;
GRANT SELECT (ctid) ON loadbay.import_row_results TO loadbay_maintenance;
GRANT SELECT (job_id) ON loadbay.import_row_results TO loadbay_maintenance;
GRANT SELECT (row_number) ON loadbay.import_row_results TO loadbay_maintenance;

CREATE TABLE loadbay.export_jobs (
    id              bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    uuid            uuid NOT NULL,
    organisation_id bigint NOT NULL,
    import_type     text NOT NULL,
    format          text NOT NULL,
    fields          text[] NOT NULL DEFAULT '{}'::text[],
    filters         jsonb NOT NULL DEFAULT '{}'::jsonb,
    status          text NOT NULL DEFAULT 'pending'::text,
    record_count    bigint NOT NULL DEFAULT 0,
    size_bytes      bigint NOT NULL DEFAULT 0,
    object_key      text NOT NULL,
    failure_code    text,
    failure_message text,
    request_id      text NOT NULL,
    created_at      timestamp with time zone NOT NULL DEFAULT now(),
    started_at      timestamp with time zone,
    completed_at    timestamp with time zone,
    touched_at      timestamp with time zone NOT NULL DEFAULT now(),
    requeues        integer NOT NULL DEFAULT 0,
    annotates       uuid,
    purge_due       boolean NOT NULL DEFAULT false,
    type_version    integer,
    CONSTRAINT export_jobs_pkey PRIMARY KEY (id),
    CONSTRAINT export_jobs_organisation_id_uuid_key UNIQUE (organisation_id, uuid),
    CONSTRAINT export_jobs_uuid_key UNIQUE (uuid),
    CONSTRAINT export_jobs_check CHECK ((completed_at IS NOT NULL) = (status = ANY (ARRAY['completed'::text, 'failed'::text, 'cancelled'::text]))),
    CONSTRAINT export_jobs_format_check CHECK (format = ANY (ARRAY['csv'::text, 'ndjson'::text, 'xlsx'::text, 'zip'::text])),
    CONSTRAINT export_jobs_record_count_check CHECK (record_count >= 0),
    CONSTRAINT export_jobs_requeues_check CHECK (requeues >= 0),
    CONSTRAINT export_jobs_status_check CHECK (status = ANY (ARRAY['pending'::text, 'processing'::text, 'completed'::text, 'failed'::text, 'cancelled'::text])),
    CONSTRAINT export_jobs_type_version_check CHECK (type_version > 0),
    CONSTRAINT export_jobs_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES loadbay.organisations(id)
);
ALTER TABLE loadbay.export_jobs SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.export_jobs ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE INDEX export_jobs_annotations ON loadbay.export_jobs USING btree (annotates, id DESC) WHERE annotates IS NOT NULL;
CREATE INDEX export_jobs_ended ON loadbay.export_jobs USING btree (completed_at) WHERE completed_at IS NOT NULL;
CREATE INDEX export_jobs_list ON loadbay.export_jobs USING btree (organisation_id, id DESC);
CREATE INDEX export_jobs_open ON loadbay.export_jobs USING btree (touched_at) WHERE status = ANY (ARRAY['pending'::text, 'processing'::text]);
CREATE INDEX export_jobs_quota ON loadbay.export_jobs USING btree (organisation_id) WHERE status = ANY (ARRAY['pending'::text, 'processing'::text]);
ALTER TABLE loadbay.export_jobs ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.export_jobs FORCE ROW LEVEL SECURITY;
CREATE POLICY maintenance ON loadbay.export_jobs TO loadbay_maintenance USING (true) WITH CHECK (true);
CREATE POLICY operator ON loadbay.export_jobs FOR SELECT TO loadbay_operator USING (true);
CREATE POLICY tenant ON loadbay.export_jobs TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.export_jobs TO loadbay_app;
GRANT SELECT, UPDATE, DELETE ON loadbay.export_jobs TO loadbay_maintenance;
GRANT SELECT (id) ON loadbay.export_jobs TO loadbay_operator;
GRANT SELECT (uuid) ON loadbay.export_jobs TO loadbay_operator;
GRANT SELECT (organisation_id) ON loadbay.export_jobs TO loadbay_operator;
GRANT SELECT (import_type) ON loadbay.export_jobs TO loadbay_operator;
GRANT SELECT (format) ON loadbay.export_jobs TO loadbay_operator;
GRANT SELECT (status) ON loadbay.export_jobs TO loadbay_operator;
GRANT SELECT (record_count) ON loadbay.export_jobs TO loadbay_operator;
GRANT SELECT (failure_code) ON loadbay.export_jobs TO loadbay_operator;
GRANT SELECT (created_at) ON loadbay.export_jobs TO loadbay_operator;
GRANT SELECT (started_at) ON loadbay.export_jobs TO loadbay_operator;
GRANT SELECT (completed_at) ON loadbay.export_jobs TO loadbay_operator;
GRANT SELECT (touched_at) ON loadbay.export_jobs TO loadbay_operator;
GRANT SELECT (requeues) ON loadbay.export_jobs TO loadbay_operator;

CREATE TABLE loadbay.job_events (
    id              bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    uuid            uuid NOT NULL DEFAULT gen_random_uuid(),
    job_id          bigint NOT NULL,
    organisation_id bigint NOT NULL,
    sequence        integer NOT NULL,
    status          text NOT NULL,
    total_rows      bigint NOT NULL,
    created_count   bigint NOT NULL,
    updated_count   bigint NOT NULL,
    skipped_count   bigint NOT NULL,
    error_count     bigint NOT NULL,
    deferred_count  bigint NOT NULL,
    occurred_at     timestamp with time zone NOT NULL DEFAULT now(),
    sent_at         timestamp with time zone,
    unchanged_count bigint NOT NULL DEFAULT 0,
    CONSTRAINT job_events_pkey PRIMARY KEY (id),
    CONSTRAINT job_events_job_id_sequence_key UNIQUE (job_id, sequence),
    CONSTRAINT job_events_uuid_key UNIQUE (uuid),
    CONSTRAINT job_events_sequence_check CHECK (sequence > 0),
    CONSTRAINT job_events_status_check CHECK (status = ANY (ARRAY['COLUMN_MAPPING'::text, 'CELL_MAPPING'::text, 'AWAITING_APPROVAL'::text, 'COMPLETED'::text, 'FAILED'::text, 'CANCELLED'::text])),
    CONSTRAINT job_events_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES loadbay.import_jobs(organisation_id, id) ON DELETE CASCADE
);
ALTER TABLE loadbay.job_events SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.job_events ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE INDEX job_events_list ON loadbay.job_events USING btree (organisation_id, occurred_at DESC);
CREATE INDEX job_events_unsent ON loadbay.job_events USING btree (id) WHERE sent_at IS NULL;
ALTER TABLE loadbay.job_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.job_events FORCE ROW LEVEL SECURITY;
CREATE POLICY maintenance ON loadbay.job_events TO loadbay_maintenance USING (true) WITH CHECK (true);
CREATE POLICY tenant ON loadbay.job_events TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.job_events TO loadbay_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.job_events TO loadbay_maintenance;

CREATE TABLE loadbay.webhooks (
    organisation_id bigint NOT NULL,
    url             text NOT NULL,
    secret          text NOT NULL,
    previous_secret text,
    previous_until  timestamp with time zone,
    disabled_at     timestamp with time zone,
    created_at      timestamp with time zone NOT NULL DEFAULT now(),
    updated_at      timestamp with time zone NOT NULL DEFAULT now(),
    unanswered      integer NOT NULL DEFAULT 0,
    paused_until    timestamp with time zone,
    CONSTRAINT webhooks_pkey PRIMARY KEY (organisation_id),
    CONSTRAINT webhooks_check CHECK ((previous_secret IS NULL) = (previous_until IS NULL)),
    CONSTRAINT webhooks_url_check CHECK (length(url) <= 2048),
    CONSTRAINT webhooks_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES loadbay.organisations(id)
);
ALTER TABLE loadbay.webhooks SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.webhooks ALTER COLUMN organisation_id SET (n_distinct=200);
ALTER TABLE loadbay.webhooks ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.webhooks FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON loadbay.webhooks TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.webhooks TO loadbay_app;

CREATE TABLE loadbay.webhook_deliveries (
    event_id        uuid NOT NULL,
    organisation_id bigint NOT NULL,
    job_id          bigint,
    event_type      text NOT NULL,
    body            text NOT NULL,
    status          text NOT NULL DEFAULT 'PENDING'::text,
    attempts        integer NOT NULL DEFAULT 0,
    http_status     integer,
    fault           text,
    created_at      timestamp with time zone NOT NULL DEFAULT now(),
    next_attempt_at timestamp with time zone NOT NULL DEFAULT now(),
    queued_at       timestamp with time zone,
    ended_at        timestamp with time zone,
    export_id       uuid,
    CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (event_id),
    CONSTRAINT webhook_deliveries_check CHECK ((ended_at IS NULL) = (status = 'PENDING'::text)),
    CONSTRAINT webhook_deliveries_status_check CHECK (status = ANY (ARRAY['PENDING'::text, 'DELIVERED'::text, 'FAILED'::text])),
    CONSTRAINT webhook_deliveries_export_fkey FOREIGN KEY (organisation_id, export_id) REFERENCES loadbay.export_jobs(organisation_id, uuid) ON DELETE CASCADE,
    CONSTRAINT webhook_deliveries_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES loadbay.import_jobs(organisation_id, id) ON DELETE CASCADE
);
ALTER TABLE loadbay.webhook_deliveries SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.webhook_deliveries ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE INDEX webhook_deliveries_due ON loadbay.webhook_deliveries USING btree (next_attempt_at) WHERE status = 'PENDING'::text;
CREATE INDEX webhook_deliveries_export ON loadbay.webhook_deliveries USING btree (export_id) WHERE export_id IS NOT NULL;
CREATE INDEX webhook_deliveries_job ON loadbay.webhook_deliveries USING btree (job_id);
CREATE INDEX webhook_deliveries_list ON loadbay.webhook_deliveries USING btree (organisation_id, created_at DESC);
ALTER TABLE loadbay.webhook_deliveries ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.webhook_deliveries FORCE ROW LEVEL SECURITY;
CREATE POLICY maintenance ON loadbay.webhook_deliveries TO loadbay_maintenance USING (true) WITH CHECK (true);
CREATE POLICY operator ON loadbay.webhook_deliveries FOR SELECT TO loadbay_operator USING (true);
CREATE POLICY tenant ON loadbay.webhook_deliveries TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.webhook_deliveries TO loadbay_app;
GRANT INSERT, DELETE ON loadbay.webhook_deliveries TO loadbay_maintenance;
GRANT SELECT (ctid) ON loadbay.webhook_deliveries TO loadbay_maintenance;
GRANT SELECT (event_id) ON loadbay.webhook_deliveries TO loadbay_maintenance;
GRANT SELECT (organisation_id) ON loadbay.webhook_deliveries TO loadbay_maintenance;
GRANT SELECT (job_id) ON loadbay.webhook_deliveries TO loadbay_maintenance;
GRANT SELECT (status) ON loadbay.webhook_deliveries TO loadbay_maintenance;
GRANT SELECT (created_at) ON loadbay.webhook_deliveries TO loadbay_maintenance;
GRANT SELECT (next_attempt_at) ON loadbay.webhook_deliveries TO loadbay_maintenance;
GRANT SELECT (queued_at) ON loadbay.webhook_deliveries TO loadbay_maintenance;
GRANT UPDATE (queued_at) ON loadbay.webhook_deliveries TO loadbay_maintenance;
GRANT SELECT (export_id) ON loadbay.webhook_deliveries TO loadbay_maintenance;
GRANT SELECT (status) ON loadbay.webhook_deliveries TO loadbay_operator;
GRANT SELECT (next_attempt_at) ON loadbay.webhook_deliveries TO loadbay_operator;
GRANT SELECT (queued_at) ON loadbay.webhook_deliveries TO loadbay_operator;

CREATE TABLE sample.users (
    organisation_id bigint NOT NULL,
    id              uuid NOT NULL DEFAULT gen_random_uuid(),
    email           text NOT NULL,
    name            text NOT NULL,
    role            text NOT NULL DEFAULT 'user'::text,
    active          boolean NOT NULL DEFAULT true,
    created_at      timestamp with time zone NOT NULL DEFAULT now(),
    updated_at      timestamp with time zone NOT NULL DEFAULT now(),
    source_job      bigint,
    source_row      bigint,
    source_cells    integer[],
    CONSTRAINT users_pkey PRIMARY KEY (organisation_id, id),
    CONSTRAINT users_email_key UNIQUE (organisation_id, email)
);
ALTER TABLE sample.users SET (fillfactor=70, autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE sample.users ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE TRIGGER capture_deletes AFTER DELETE ON sample.users REFERENCING OLD TABLE AS stale FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_inserts AFTER INSERT ON sample.users REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_updates AFTER UPDATE ON sample.users REFERENCING OLD TABLE AS stale NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
ALTER TABLE sample.users ENABLE ROW LEVEL SECURITY;
ALTER TABLE sample.users FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sample.users TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON sample.users TO loadbay_app;

CREATE TABLE sample.articles (
    organisation_id bigint NOT NULL,
    id              uuid NOT NULL DEFAULT gen_random_uuid(),
    slug            text NOT NULL,
    title           text NOT NULL,
    description     text,
    body            text NOT NULL,
    author_id       uuid NOT NULL,
    tags            text[] NOT NULL DEFAULT '{}'::text[],
    published_at    timestamp with time zone,
    status          text NOT NULL DEFAULT 'draft'::text,
    created_at      timestamp with time zone NOT NULL DEFAULT now(),
    updated_at      timestamp with time zone NOT NULL DEFAULT now(),
    source_job      bigint,
    source_row      bigint,
    source_cells    integer[],
    CONSTRAINT articles_pkey PRIMARY KEY (organisation_id, id),
    CONSTRAINT articles_slug_key UNIQUE (organisation_id, slug),
    CONSTRAINT articles_status_check CHECK (status = ANY (ARRAY['draft'::text, 'published'::text, 'archived'::text])),
    CONSTRAINT articles_author_fkey FOREIGN KEY (organisation_id, author_id) REFERENCES sample.users(organisation_id, id)
);
ALTER TABLE sample.articles SET (fillfactor=70, autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE sample.articles ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE INDEX articles_author ON sample.articles USING btree (organisation_id, author_id);
CREATE TRIGGER capture_deletes AFTER DELETE ON sample.articles REFERENCING OLD TABLE AS stale FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_inserts AFTER INSERT ON sample.articles REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_updates AFTER UPDATE ON sample.articles REFERENCING OLD TABLE AS stale NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
ALTER TABLE sample.articles ENABLE ROW LEVEL SECURITY;
ALTER TABLE sample.articles FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sample.articles TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON sample.articles TO loadbay_app;

CREATE TABLE sample.comments (
    organisation_id bigint NOT NULL,
    id              uuid NOT NULL DEFAULT gen_random_uuid(),
    body            text NOT NULL,
    article_id      uuid NOT NULL,
    user_id         uuid NOT NULL,
    created_at      timestamp with time zone NOT NULL DEFAULT now(),
    source_job      bigint,
    source_row      bigint,
    source_cells    integer[],
    CONSTRAINT comments_pkey PRIMARY KEY (organisation_id, id),
    CONSTRAINT comments_article_fkey FOREIGN KEY (organisation_id, article_id) REFERENCES sample.articles(organisation_id, id),
    CONSTRAINT comments_user_fkey FOREIGN KEY (organisation_id, user_id) REFERENCES sample.users(organisation_id, id)
);
ALTER TABLE sample.comments SET (fillfactor=70, autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE sample.comments ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE INDEX comments_article ON sample.comments USING btree (organisation_id, article_id);
CREATE INDEX comments_user ON sample.comments USING btree (organisation_id, user_id);
CREATE TRIGGER capture_deletes AFTER DELETE ON sample.comments REFERENCING OLD TABLE AS stale FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_inserts AFTER INSERT ON sample.comments REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_updates AFTER UPDATE ON sample.comments REFERENCING OLD TABLE AS stale NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
ALTER TABLE sample.comments ENABLE ROW LEVEL SECURITY;
ALTER TABLE sample.comments FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sample.comments TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON sample.comments TO loadbay_app;

CREATE TABLE sample.membership_periods (
    id              bigint NOT NULL DEFAULT loadbay.next_id('membership_periods'::text),
    organisation_id bigint NOT NULL,
    name            text NOT NULL,
    starts_on       date NOT NULL,
    ends_on         date NOT NULL,
    source_job      bigint,
    source_row      bigint,
    source_cells    integer[],
    CONSTRAINT membership_periods_organisation_id_id_key UNIQUE (organisation_id, id),
    CONSTRAINT membership_periods_organisation_id_name_key UNIQUE (organisation_id, name),
    CONSTRAINT membership_periods_check CHECK (ends_on >= starts_on),
    CONSTRAINT membership_periods_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES loadbay.organisations(id)
);
ALTER TABLE sample.membership_periods SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE sample.membership_periods ALTER COLUMN organisation_id SET (n_distinct=200);
ALTER TABLE sample.membership_periods REPLICA IDENTITY USING INDEX membership_periods_organisation_id_id_key;
CREATE TRIGGER capture_deletes AFTER DELETE ON sample.membership_periods REFERENCING OLD TABLE AS stale FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_inserts AFTER INSERT ON sample.membership_periods REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_updates AFTER UPDATE ON sample.membership_periods REFERENCING OLD TABLE AS stale NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER number_row BEFORE INSERT ON sample.membership_periods FOR EACH ROW WHEN (new.id IS NULL) EXECUTE FUNCTION loadbay.number_row();
ALTER TABLE sample.membership_periods ENABLE ROW LEVEL SECURITY;
ALTER TABLE sample.membership_periods FORCE ROW LEVEL SECURITY;
CREATE POLICY operator ON sample.membership_periods TO loadbay_operator USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
CREATE POLICY tenant ON sample.membership_periods TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON sample.membership_periods TO loadbay_app;
GRANT SELECT, INSERT, UPDATE ON sample.membership_periods TO loadbay_operator;

CREATE TABLE sample.membership_types (
    id              bigint NOT NULL DEFAULT loadbay.next_id('membership_types'::text),
    organisation_id bigint NOT NULL,
    name            text NOT NULL,
    CONSTRAINT membership_types_organisation_id_id_key UNIQUE (organisation_id, id),
    CONSTRAINT membership_types_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES loadbay.organisations(id)
);
ALTER TABLE sample.membership_types SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE sample.membership_types ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE UNIQUE INDEX membership_types_name ON sample.membership_types USING btree (organisation_id, lower(name));
ALTER TABLE sample.membership_types REPLICA IDENTITY USING INDEX membership_types_organisation_id_id_key;
CREATE TRIGGER capture_deletes AFTER DELETE ON sample.membership_types REFERENCING OLD TABLE AS stale FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_inserts AFTER INSERT ON sample.membership_types REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_updates AFTER UPDATE ON sample.membership_types REFERENCING OLD TABLE AS stale NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER number_row BEFORE INSERT ON sample.membership_types FOR EACH ROW WHEN (new.id IS NULL) EXECUTE FUNCTION loadbay.number_row();
ALTER TABLE sample.membership_types ENABLE ROW LEVEL SECURITY;
ALTER TABLE sample.membership_types FORCE ROW LEVEL SECURITY;
CREATE POLICY operator ON sample.membership_types TO loadbay_operator USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
CREATE POLICY tenant ON sample.membership_types TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON sample.membership_types TO loadbay_app;
GRANT SELECT, INSERT, UPDATE ON sample.membership_types TO loadbay_operator;

CREATE TABLE sample.persons (
    id              bigint NOT NULL DEFAULT loadbay.next_id('persons'::text),
    organisation_id bigint NOT NULL,
    identity_key    text NOT NULL,
    first_name      text NOT NULL,
    last_name       text NOT NULL,
    email           text,
    identity_number text,
    birth_date      date,
    gender          text,
    phone           text,
    country_id      smallint,
    source_job      bigint,
    source_row      bigint,
    source_before   jsonb,
    CONSTRAINT persons_organisation_id_id_key UNIQUE (organisation_id, id),
    CONSTRAINT persons_organisation_id_identity_key_key UNIQUE (organisation_id, identity_key),
    CONSTRAINT persons_gender_check CHECK (gender = ANY (ARRAY['FEMALE'::text, 'MALE'::text, 'OTHER'::text])),
    CONSTRAINT persons_country_id_fkey FOREIGN KEY (country_id) REFERENCES sample.countries(id),
    CONSTRAINT persons_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES loadbay.organisations(id)
);
ALTER TABLE sample.persons SET (fillfactor=70, autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE sample.persons ALTER COLUMN organisation_id SET (n_distinct=200);
ALTER TABLE sample.persons REPLICA IDENTITY USING INDEX persons_organisation_id_id_key;
CREATE TRIGGER capture_deletes AFTER DELETE ON sample.persons REFERENCING OLD TABLE AS stale FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_inserts AFTER INSERT ON sample.persons REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_updates AFTER UPDATE ON sample.persons REFERENCING OLD TABLE AS stale NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER number_row BEFORE INSERT ON sample.persons FOR EACH ROW WHEN (new.id IS NULL) EXECUTE FUNCTION loadbay.number_row();
ALTER TABLE sample.persons ENABLE ROW LEVEL SECURITY;
ALTER TABLE sample.persons FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sample.persons TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON sample.persons TO loadbay_app;

CREATE TABLE sample.memberships (
    id                bigint NOT NULL DEFAULT loadbay.next_id('memberships'::text),
    organisation_id   bigint NOT NULL,
    person_id         bigint NOT NULL,
    period_id         bigint NOT NULL,
    type_id           bigint NOT NULL,
    membership_number text,
    joined_on         date,
    source_job        bigint,
    source_row        bigint,
    source_before     jsonb,
    CONSTRAINT memberships_pkey PRIMARY KEY (organisation_id, id),
    CONSTRAINT memberships_person_key UNIQUE (organisation_id, period_id, person_id),
    CONSTRAINT memberships_organisation_id_period_id_fkey FOREIGN KEY (organisation_id, period_id) REFERENCES sample.membership_periods(organisation_id, id),
    CONSTRAINT memberships_organisation_id_person_id_fkey FOREIGN KEY (organisation_id, person_id) REFERENCES sample.persons(organisation_id, id),
    CONSTRAINT memberships_organisation_id_type_id_fkey FOREIGN KEY (organisation_id, type_id) REFERENCES sample.membership_types(organisation_id, id)
);
ALTER TABLE sample.memberships SET (fillfactor=70, autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE sample.memberships ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE INDEX memberships_person ON sample.memberships USING btree (person_id);
CREATE TRIGGER capture_deletes AFTER DELETE ON sample.memberships REFERENCING OLD TABLE AS stale FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_inserts AFTER INSERT ON sample.memberships REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_updates AFTER UPDATE ON sample.memberships REFERENCING OLD TABLE AS stale NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER number_row BEFORE INSERT ON sample.memberships FOR EACH ROW WHEN (new.id IS NULL) EXECUTE FUNCTION loadbay.number_row();
ALTER TABLE sample.memberships ENABLE ROW LEVEL SECURITY;
ALTER TABLE sample.memberships FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sample.memberships TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON sample.memberships TO loadbay_app;

CREATE TABLE sample.orders (
    id                   bigint NOT NULL DEFAULT loadbay.next_id('orders'::text),
    organisation_id      bigint NOT NULL,
    order_id             text NOT NULL GENERATED ALWAYS AS ('ORD'::text || lpad(id::text, GREATEST(6, length(id::text)), '0'::text)) STORED,
    idempotency_key      text NOT NULL,
    client_id            bigint NOT NULL,
    client_reference     text,
    sender_name          text NOT NULL,
    sender_address       text NOT NULL,
    sender_contact       text NOT NULL,
    receiver_name        text NOT NULL,
    receiver_address     text NOT NULL,
    receiver_city        text NOT NULL,
    receiver_pincode     text NOT NULL,
    item_count           bigint NOT NULL,
    total_weight         numeric NOT NULL,
    service_type         text NOT NULL,
    declared_value       numeric,
    cod_amount           numeric,
    special_instructions text,
    status               text NOT NULL DEFAULT 'PENDING'::text,
    created_at           timestamp with time zone NOT NULL DEFAULT now(),
    updated_at           timestamp with time zone NOT NULL DEFAULT now(),
    source_job           bigint,
    source_row           bigint,
    CONSTRAINT orders_idempotency_key UNIQUE (organisation_id, idempotency_key),
    CONSTRAINT orders_organisation_id_id_key UNIQUE (organisation_id, id),
    CONSTRAINT orders_organisation_id_order_id_key UNIQUE (organisation_id, order_id),
    CONSTRAINT orders_client_id_check CHECK (client_id > 0),
    CONSTRAINT orders_cod_amount_check CHECK (cod_amount >= 0::numeric),
    CONSTRAINT orders_declared_value_check CHECK (declared_value >= 0::numeric AND declared_value <= 100000::numeric),
    CONSTRAINT orders_idempotency_key_check CHECK (length(idempotency_key) <= 300),
    CONSTRAINT orders_item_count_check CHECK (item_count > 0),
    CONSTRAINT orders_receiver_pincode_check CHECK (receiver_pincode ~ '^[1-9][0-9]{5}$'::text),
    CONSTRAINT orders_service_type_check CHECK (service_type = ANY (ARRAY['EXPRESS'::text, 'STANDARD'::text, 'ECONOMY'::text])),
    CONSTRAINT orders_status_check CHECK (status = ANY (ARRAY['PENDING'::text, 'CONFIRMED'::text, 'IN_TRANSIT'::text, 'DELIVERED'::text, 'CANCELLED'::text])),
    CONSTRAINT orders_total_weight_check CHECK (total_weight > 0::numeric),
    CONSTRAINT orders_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES loadbay.organisations(id)
);
ALTER TABLE sample.orders SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE sample.orders ALTER COLUMN organisation_id SET (n_distinct=200);
ALTER TABLE sample.orders REPLICA IDENTITY USING INDEX orders_organisation_id_id_key;
CREATE TRIGGER capture_deletes AFTER DELETE ON sample.orders REFERENCING OLD TABLE AS stale FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_inserts AFTER INSERT ON sample.orders REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_updates AFTER UPDATE ON sample.orders REFERENCING OLD TABLE AS stale NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER number_row BEFORE INSERT ON sample.orders FOR EACH ROW WHEN (new.id IS NULL) EXECUTE FUNCTION loadbay.number_row();
ALTER TABLE sample.orders ENABLE ROW LEVEL SECURITY;
ALTER TABLE sample.orders FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sample.orders TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON sample.orders TO loadbay_app;

CREATE VIEW sample.bulk_upload_batch WITH (security_invoker=true) AS
 SELECT id,
    uuid,
    organisation_id,
    import_type,
    batch_id,
    uploader,
    original_filename,
    NULLIF(sha256, ''::text) AS file_checksum,
    created_at AS uploaded_at,
    (EXTRACT(epoch FROM completed_at - created_at) * 1000::numeric)::bigint AS processing_duration_ms,
        CASE
            WHEN status = 'COMPLETED'::text OR completed_at IS NULL THEN total_rows
            ELSE NULL::bigint
        END AS total_rows,
    created_count,
    error_count AS failed_count,
    skipped_count AS skipped_duplicate_count,
        CASE
            WHEN status = 'COMPLETED'::text THEN 'COMPLETED'::text
            WHEN completed_at IS NOT NULL THEN 'FAILED'::text
            ELSE 'PROCESSING'::text
        END AS status,
    COALESCE((dialect ->> 'headerRow'::text)::bigint, 0::bigint) AS header_row,
    failure_code,
    failure_message,
    created_at,
    updated_at,
    status AS import_status,
    uploaded_at AS arrived_at,
    announced AS waiting,
    plan AND applied_at IS NULL AS rehearsed,
    warnings
   FROM loadbay.import_jobs
  WHERE batch_id IS NOT NULL;
GRANT SELECT ON sample.bulk_upload_batch TO loadbay_app;

CREATE TABLE sample.bulk_upload_counters (
    organisation_id bigint NOT NULL,
    day             date NOT NULL,
    last            integer NOT NULL,
    CONSTRAINT bulk_upload_counters_pkey PRIMARY KEY (organisation_id, day),
    CONSTRAINT bulk_upload_counters_last_check CHECK (last >= 1 AND last <= 9999),
    CONSTRAINT bulk_upload_counters_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES loadbay.organisations(id)
);
ALTER TABLE sample.bulk_upload_counters SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE sample.bulk_upload_counters ALTER COLUMN organisation_id SET (n_distinct=200);
ALTER TABLE sample.bulk_upload_counters ENABLE ROW LEVEL SECURITY;
ALTER TABLE sample.bulk_upload_counters FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sample.bulk_upload_counters TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON sample.bulk_upload_counters TO loadbay_app;

CREATE TABLE sample.bulk_upload_row (
    job_id            bigint NOT NULL,
    organisation_id   bigint NOT NULL,
    row_number        bigint NOT NULL,
    status            text NOT NULL,
    idempotency_key   text NOT NULL,
    idempotency_basis text NOT NULL,
    order_id          bigint,
    CONSTRAINT bulk_upload_row_pkey PRIMARY KEY (job_id, row_number),
    CONSTRAINT bulk_upload_row_basis CHECK ((idempotency_basis = 'HASH'::text) = (idempotency_key ~ '^HASH:[0-9a-f]{64}$'::text)),
    CONSTRAINT bulk_upload_row_idempotency_basis_check CHECK (idempotency_basis = ANY (ARRAY['CLIENT_REFERENCE'::text, 'HASH'::text])),
    CONSTRAINT bulk_upload_row_idempotency_key_check CHECK (length(idempotency_key) <= 300),
    CONSTRAINT bulk_upload_row_order CHECK (order_id IS NULL OR status = 'CREATED'::text),
    CONSTRAINT bulk_upload_row_row_number_check CHECK (row_number >= 1),
    CONSTRAINT bulk_upload_row_status_check CHECK (status = ANY (ARRAY['CREATED'::text, 'SKIPPED_DUPLICATE'::text])),
    CONSTRAINT bulk_upload_row_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES loadbay.import_jobs(organisation_id, id) ON DELETE CASCADE
);
ALTER TABLE sample.bulk_upload_row SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE sample.bulk_upload_row ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE UNIQUE INDEX bulk_upload_row_creator ON sample.bulk_upload_row USING btree (organisation_id, order_id) WHERE order_id IS NOT NULL;
ALTER TABLE sample.bulk_upload_row ENABLE ROW LEVEL SECURITY;
ALTER TABLE sample.bulk_upload_row FORCE ROW LEVEL SECURITY;
CREATE POLICY maintenance ON sample.bulk_upload_row TO loadbay_maintenance USING (true) WITH CHECK (true);
CREATE POLICY tenant ON sample.bulk_upload_row TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON sample.bulk_upload_row TO loadbay_app;
GRANT DELETE ON sample.bulk_upload_row TO loadbay_maintenance;
GRANT SELECT (ctid) ON sample.bulk_upload_row TO loadbay_maintenance;
GRANT SELECT (job_id) ON sample.bulk_upload_row TO loadbay_maintenance;
GRANT SELECT (row_number) ON sample.bulk_upload_row TO loadbay_maintenance;

CREATE TABLE sample.events (
    id              bigint NOT NULL DEFAULT loadbay.next_id('events'::text),
    organisation_id bigint NOT NULL,
    name            text NOT NULL,
    starts_on       date,
    source_job      bigint,
    source_row      bigint,
    source_cells    integer[],
    CONSTRAINT events_name_key UNIQUE (organisation_id, name),
    CONSTRAINT events_organisation_id_id_key UNIQUE (organisation_id, id),
    CONSTRAINT events_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES loadbay.organisations(id)
);
ALTER TABLE sample.events SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE sample.events ALTER COLUMN organisation_id SET (n_distinct=200);
ALTER TABLE sample.events REPLICA IDENTITY USING INDEX events_organisation_id_id_key;
CREATE TRIGGER capture_deletes AFTER DELETE ON sample.events REFERENCING OLD TABLE AS stale FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_inserts AFTER INSERT ON sample.events REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_updates AFTER UPDATE ON sample.events REFERENCING OLD TABLE AS stale NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER number_row BEFORE INSERT ON sample.events FOR EACH ROW WHEN (new.id IS NULL) EXECUTE FUNCTION loadbay.number_row();
ALTER TABLE sample.events ENABLE ROW LEVEL SECURITY;
ALTER TABLE sample.events FORCE ROW LEVEL SECURITY;
CREATE POLICY operator ON sample.events TO loadbay_operator USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
CREATE POLICY tenant ON sample.events TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON sample.events TO loadbay_app;
GRANT SELECT, INSERT, UPDATE ON sample.events TO loadbay_operator;

CREATE TABLE sample.event_categories (
    id              bigint NOT NULL DEFAULT loadbay.next_id('event_categories'::text),
    organisation_id bigint NOT NULL,
    event_id        bigint NOT NULL,
    name            text NOT NULL,
    source_job      bigint,
    source_row      bigint,
    source_cells    integer[],
    CONSTRAINT event_categories_pkey PRIMARY KEY (organisation_id, id),
    CONSTRAINT event_categories_organisation_id_event_id_id_key UNIQUE (organisation_id, event_id, id),
    CONSTRAINT event_categories_organisation_id_event_id_fkey FOREIGN KEY (organisation_id, event_id) REFERENCES sample.events(organisation_id, id)
);
ALTER TABLE sample.event_categories SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE sample.event_categories ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE UNIQUE INDEX event_categories_name ON sample.event_categories USING btree (organisation_id, lower(name), event_id);
CREATE TRIGGER capture_deletes AFTER DELETE ON sample.event_categories REFERENCING OLD TABLE AS stale FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_inserts AFTER INSERT ON sample.event_categories REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_updates AFTER UPDATE ON sample.event_categories REFERENCING OLD TABLE AS stale NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER number_row BEFORE INSERT ON sample.event_categories FOR EACH ROW WHEN (new.id IS NULL) EXECUTE FUNCTION loadbay.number_row();
ALTER TABLE sample.event_categories ENABLE ROW LEVEL SECURITY;
ALTER TABLE sample.event_categories FORCE ROW LEVEL SECURITY;
CREATE POLICY operator ON sample.event_categories TO loadbay_operator USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
CREATE POLICY tenant ON sample.event_categories TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON sample.event_categories TO loadbay_app;
GRANT SELECT, INSERT, UPDATE ON sample.event_categories TO loadbay_operator;

CREATE TABLE sample.custom_lists (
    id              bigint NOT NULL DEFAULT loadbay.next_id('custom_lists'::text),
    organisation_id bigint NOT NULL,
    event_id        bigint NOT NULL,
    place           smallint NOT NULL,
    name            text NOT NULL,
    CONSTRAINT custom_lists_organisation_id_event_id_place_key UNIQUE (organisation_id, event_id, place),
    CONSTRAINT custom_lists_organisation_id_id_key UNIQUE (organisation_id, id),
    CONSTRAINT custom_lists_place_check CHECK (place >= 1 AND place <= 3),
    CONSTRAINT custom_lists_organisation_id_event_id_fkey FOREIGN KEY (organisation_id, event_id) REFERENCES sample.events(organisation_id, id)
);
ALTER TABLE sample.custom_lists SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE sample.custom_lists ALTER COLUMN organisation_id SET (n_distinct=200);
ALTER TABLE sample.custom_lists REPLICA IDENTITY USING INDEX custom_lists_organisation_id_id_key;
CREATE TRIGGER capture_deletes AFTER DELETE ON sample.custom_lists REFERENCING OLD TABLE AS stale FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_inserts AFTER INSERT ON sample.custom_lists REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_updates AFTER UPDATE ON sample.custom_lists REFERENCING OLD TABLE AS stale NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER number_row BEFORE INSERT ON sample.custom_lists FOR EACH ROW WHEN (new.id IS NULL) EXECUTE FUNCTION loadbay.number_row();
ALTER TABLE sample.custom_lists ENABLE ROW LEVEL SECURITY;
ALTER TABLE sample.custom_lists FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sample.custom_lists TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON sample.custom_lists TO loadbay_app;

CREATE TABLE sample.custom_list_values (
    id              bigint NOT NULL DEFAULT loadbay.next_id('custom_list_values'::text),
    organisation_id bigint NOT NULL,
    list_id         bigint NOT NULL,
    value           text NOT NULL,
    CONSTRAINT custom_list_values_organisation_id_id_key UNIQUE (organisation_id, id),
    CONSTRAINT custom_list_values_organisation_id_list_id_fkey FOREIGN KEY (organisation_id, list_id) REFERENCES sample.custom_lists(organisation_id, id)
);
ALTER TABLE sample.custom_list_values SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE sample.custom_list_values ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE UNIQUE INDEX custom_list_values_value ON sample.custom_list_values USING btree (organisation_id, list_id, lower(value));
ALTER TABLE sample.custom_list_values REPLICA IDENTITY USING INDEX custom_list_values_organisation_id_id_key;
CREATE TRIGGER capture_deletes AFTER DELETE ON sample.custom_list_values REFERENCING OLD TABLE AS stale FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_inserts AFTER INSERT ON sample.custom_list_values REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_updates AFTER UPDATE ON sample.custom_list_values REFERENCING OLD TABLE AS stale NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER number_row BEFORE INSERT ON sample.custom_list_values FOR EACH ROW WHEN (new.id IS NULL) EXECUTE FUNCTION loadbay.number_row();
ALTER TABLE sample.custom_list_values ENABLE ROW LEVEL SECURITY;
ALTER TABLE sample.custom_list_values FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sample.custom_list_values TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON sample.custom_list_values TO loadbay_app;

CREATE TABLE sample.event_participants (
    id                  bigint NOT NULL DEFAULT loadbay.next_id('event_participants'::text),
    organisation_id     bigint NOT NULL,
    event_id            bigint NOT NULL,
    person_id           bigint NOT NULL,
    category_id         bigint NOT NULL,
    registration_number text,
    race_number         text,
    custom1_id          bigint,
    custom2_id          bigint,
    custom3_id          bigint,
    source_job          bigint,
    source_row          bigint,
    CONSTRAINT event_participants_pkey PRIMARY KEY (organisation_id, id),
    CONSTRAINT event_participants_organisation_id_event_id_id_key UNIQUE (organisation_id, event_id, id),
    CONSTRAINT event_participants_person_key UNIQUE (organisation_id, event_id, person_id),
    CONSTRAINT event_participants_registration_key UNIQUE (organisation_id, event_id, registration_number),
    CONSTRAINT event_participants_organisation_id_custom1_id_fkey FOREIGN KEY (organisation_id, custom1_id) REFERENCES sample.custom_list_values(organisation_id, id),
    CONSTRAINT event_participants_organisation_id_custom2_id_fkey FOREIGN KEY (organisation_id, custom2_id) REFERENCES sample.custom_list_values(organisation_id, id),
    CONSTRAINT event_participants_organisation_id_custom3_id_fkey FOREIGN KEY (organisation_id, custom3_id) REFERENCES sample.custom_list_values(organisation_id, id),
    CONSTRAINT event_participants_organisation_id_event_id_category_id_fkey FOREIGN KEY (organisation_id, event_id, category_id) REFERENCES sample.event_categories(organisation_id, event_id, id),
    CONSTRAINT event_participants_organisation_id_event_id_fkey FOREIGN KEY (organisation_id, event_id) REFERENCES sample.events(organisation_id, id),
    CONSTRAINT event_participants_organisation_id_person_id_fkey FOREIGN KEY (organisation_id, person_id) REFERENCES sample.persons(organisation_id, id)
);
ALTER TABLE sample.event_participants SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE sample.event_participants ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE INDEX event_participants_person ON sample.event_participants USING btree (person_id);
CREATE TRIGGER capture_deletes AFTER DELETE ON sample.event_participants REFERENCING OLD TABLE AS stale FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_inserts AFTER INSERT ON sample.event_participants REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_updates AFTER UPDATE ON sample.event_participants REFERENCING OLD TABLE AS stale NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER number_row BEFORE INSERT ON sample.event_participants FOR EACH ROW WHEN (new.id IS NULL) EXECUTE FUNCTION loadbay.number_row();
ALTER TABLE sample.event_participants ENABLE ROW LEVEL SECURITY;
ALTER TABLE sample.event_participants FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sample.event_participants TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON sample.event_participants TO loadbay_app;

CREATE TABLE sample.results (
    id                bigint NOT NULL DEFAULT loadbay.next_id('results'::text),
    organisation_id   bigint NOT NULL,
    event_id          bigint NOT NULL,
    category_id       bigint NOT NULL,
    sequence          bigint NOT NULL,
    participant_id    bigint NOT NULL,
    race_number       text,
    "position"        bigint,
    time_ms           bigint,
    status            text NOT NULL DEFAULT 'FINISHED'::text,
    points            numeric,
    source_job        bigint,
    source_row        bigint,
    position_written  boolean,
    points_calculator text,
    CONSTRAINT results_pkey PRIMARY KEY (organisation_id, id),
    CONSTRAINT results_sequence_key UNIQUE (organisation_id, event_id, category_id, sequence),
    CONSTRAINT results_points_check CHECK (points >= 0::numeric),
    CONSTRAINT results_position_check CHECK ("position" > 0),
    CONSTRAINT results_sequence_check CHECK (sequence > 0),
    CONSTRAINT results_status_check CHECK (status = ANY (ARRAY['FINISHED'::text, 'DNF'::text, 'DNS'::text, 'DSQ'::text])),
    CONSTRAINT results_time_ms_check CHECK (time_ms > 0),
    CONSTRAINT results_organisation_id_event_id_category_id_fkey FOREIGN KEY (organisation_id, event_id, category_id) REFERENCES sample.event_categories(organisation_id, event_id, id),
    CONSTRAINT results_organisation_id_event_id_participant_id_fkey FOREIGN KEY (organisation_id, event_id, participant_id) REFERENCES sample.event_participants(organisation_id, event_id, id)
);
ALTER TABLE sample.results SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE sample.results ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE INDEX results_of_participant ON sample.results USING btree (participant_id, organisation_id, event_id, category_id);
CREATE TRIGGER capture_deletes AFTER DELETE ON sample.results REFERENCING OLD TABLE AS stale FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_inserts AFTER INSERT ON sample.results REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_updates AFTER UPDATE ON sample.results REFERENCING OLD TABLE AS stale NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER number_row BEFORE INSERT ON sample.results FOR EACH ROW WHEN (new.id IS NULL) EXECUTE FUNCTION loadbay.number_row();
ALTER TABLE sample.results ENABLE ROW LEVEL SECURITY;
ALTER TABLE sample.results FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sample.results TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON sample.results TO loadbay_app;

CREATE TABLE loadbay.organisation_usage (
    organisation_id bigint NOT NULL,
    window_start    timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
    requests        bigint NOT NULL DEFAULT 0,
    granted         bigint NOT NULL DEFAULT 0,
    CONSTRAINT organisation_usage_pkey PRIMARY KEY (organisation_id)
);
ALTER TABLE loadbay.organisation_usage SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.organisation_usage ALTER COLUMN organisation_id SET (n_distinct=200);
ALTER TABLE loadbay.organisation_usage ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.organisation_usage FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON loadbay.organisation_usage TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.organisation_usage TO loadbay_app;

CREATE TABLE loadbay.stream_slots (
    id              uuid NOT NULL,
    organisation_id bigint NOT NULL,
    expires_at      timestamp with time zone NOT NULL,
    kind            text NOT NULL DEFAULT 'stream'::text,
    CONSTRAINT stream_slots_pkey PRIMARY KEY (id)
);
ALTER TABLE loadbay.stream_slots SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.stream_slots ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE INDEX stream_slots_organisation ON loadbay.stream_slots USING btree (organisation_id);
ALTER TABLE loadbay.stream_slots ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.stream_slots FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON loadbay.stream_slots TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.stream_slots TO loadbay_app;

CREATE TABLE loadbay.import_given_mappings (
    job_id          bigint NOT NULL,
    organisation_id bigint NOT NULL,
    document        jsonb NOT NULL,
    CONSTRAINT import_given_mappings_pkey PRIMARY KEY (job_id),
    CONSTRAINT import_given_mappings_organisation_id_job_id_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES loadbay.import_jobs(organisation_id, id) ON DELETE CASCADE
);
ALTER TABLE loadbay.import_given_mappings SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.import_given_mappings ALTER COLUMN organisation_id SET (n_distinct=200);
ALTER TABLE loadbay.import_given_mappings ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.import_given_mappings FORCE ROW LEVEL SECURITY;
CREATE POLICY maintenance ON loadbay.import_given_mappings TO loadbay_maintenance USING (true) WITH CHECK (true);
CREATE POLICY tenant ON loadbay.import_given_mappings TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.import_given_mappings TO loadbay_app;
GRANT DELETE ON loadbay.import_given_mappings TO loadbay_maintenance;
GRANT SELECT (ctid) ON loadbay.import_given_mappings TO loadbay_maintenance;
GRANT SELECT (job_id) ON loadbay.import_given_mappings TO loadbay_maintenance;

CREATE TABLE loadbay.import_last_rows (
    job_id          bigint NOT NULL,
    organisation_id bigint NOT NULL,
    last_rows       jsonb NOT NULL,
    CONSTRAINT import_last_rows_pkey PRIMARY KEY (job_id),
    CONSTRAINT import_last_rows_organisation_id_job_id_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES loadbay.import_jobs(organisation_id, id) ON DELETE CASCADE
);
ALTER TABLE loadbay.import_last_rows SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.import_last_rows ALTER COLUMN organisation_id SET (n_distinct=200);
ALTER TABLE loadbay.import_last_rows ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.import_last_rows FORCE ROW LEVEL SECURITY;
CREATE POLICY maintenance ON loadbay.import_last_rows TO loadbay_maintenance USING (true) WITH CHECK (true);
CREATE POLICY tenant ON loadbay.import_last_rows TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.import_last_rows TO loadbay_app;
GRANT DELETE ON loadbay.import_last_rows TO loadbay_maintenance;
GRANT SELECT (ctid) ON loadbay.import_last_rows TO loadbay_maintenance;
GRANT SELECT (job_id) ON loadbay.import_last_rows TO loadbay_maintenance;

CREATE TABLE sample.points_calculators (
    organisation_id bigint NOT NULL,
    code            text NOT NULL,
    class_name      text,
    definition      jsonb NOT NULL,
    CONSTRAINT points_calculators_pkey PRIMARY KEY (organisation_id, code),
    CONSTRAINT points_calculators_organisation_id_class_name_key UNIQUE (organisation_id, class_name),
    CONSTRAINT points_calculators_class_name_check CHECK (length(class_name) >= 1 AND length(class_name) <= 200),
    CONSTRAINT points_calculators_code_check CHECK (length(code) >= 1 AND length(code) <= 50),
    CONSTRAINT points_calculators_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES loadbay.organisations(id)
);
ALTER TABLE sample.points_calculators SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE sample.points_calculators ALTER COLUMN organisation_id SET (n_distinct=200);
ALTER TABLE sample.points_calculators ENABLE ROW LEVEL SECURITY;
ALTER TABLE sample.points_calculators FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sample.points_calculators TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON sample.points_calculators TO loadbay_app;

CREATE TABLE loadbay.import_row_corrections (
    job_id          bigint NOT NULL,
    organisation_id bigint NOT NULL,
    row_number      bigint NOT NULL,
    field           text NOT NULL,
    value           jsonb NOT NULL,
    taken           boolean NOT NULL DEFAULT false,
    CONSTRAINT import_row_corrections_pkey PRIMARY KEY (job_id, row_number, field),
    CONSTRAINT import_row_corrections_row_number_check CHECK (row_number > 0),
    CONSTRAINT import_row_corrections_value_check CHECK ((jsonb_typeof(value) <> ALL (ARRAY['object'::text, 'array'::text])) AND octet_length(value::text) <= 262144),
    CONSTRAINT import_row_corrections_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES loadbay.import_jobs(organisation_id, id) ON DELETE CASCADE
);
ALTER TABLE loadbay.import_row_corrections SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.import_row_corrections ALTER COLUMN organisation_id SET (n_distinct=200);
ALTER TABLE loadbay.import_row_corrections ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.import_row_corrections FORCE ROW LEVEL SECURITY;
CREATE POLICY maintenance ON loadbay.import_row_corrections TO loadbay_maintenance USING (true) WITH CHECK (true);
CREATE POLICY tenant ON loadbay.import_row_corrections TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.import_row_corrections TO loadbay_app;
GRANT DELETE ON loadbay.import_row_corrections TO loadbay_maintenance;
GRANT SELECT (ctid) ON loadbay.import_row_corrections TO loadbay_maintenance;
GRANT SELECT (job_id) ON loadbay.import_row_corrections TO loadbay_maintenance;
GRANT SELECT (row_number) ON loadbay.import_row_corrections TO loadbay_maintenance;

CREATE TABLE loadbay.organisation_settings (
    organisation_id bigint NOT NULL,
    review          text,
    mode            text,
    date_order      text,
    decimal_mark    text,
    encoding        text,
    time_zone       text,
    updated_at      timestamp with time zone NOT NULL DEFAULT now(),
    updated_by      text NOT NULL DEFAULT ''::text,
    max_errors      text,
    mail_domains    text[] NOT NULL DEFAULT '{}'::text[],
    approval        text,
    guards          jsonb,
    undo_days       smallint,
    import_options  jsonb NOT NULL DEFAULT '{}'::jsonb,
    CONSTRAINT organisation_settings_pkey PRIMARY KEY (organisation_id),
    CONSTRAINT organisation_settings_approval_check CHECK (approval = ANY (ARRAY['any'::text, 'other'::text])),
    CONSTRAINT organisation_settings_date_order_check CHECK (date_order = ANY (ARRAY['dmy'::text, 'mdy'::text, 'ymd'::text])),
    CONSTRAINT organisation_settings_decimal_mark_check CHECK (decimal_mark = ANY (ARRAY['.'::text, ','::text])),
    CONSTRAINT organisation_settings_encoding_check CHECK (length(encoding) <= 40),
    CONSTRAINT organisation_settings_import_options_check CHECK (jsonb_typeof(import_options) = 'object'::text),
    CONSTRAINT organisation_settings_mail_domains_check CHECK (cardinality(mail_domains) <= 20),
    CONSTRAINT organisation_settings_max_errors_check CHECK (max_errors ~ '^(\d{1,9}|\d{1,2}(\.\d{1,2})?%)$'::text),
    CONSTRAINT organisation_settings_mode_check CHECK (mode = ANY (ARRAY['insert'::text, 'upsert'::text, 'update'::text])),
    CONSTRAINT organisation_settings_review_check CHECK (review = ANY (ARRAY['always'::text, 'unsure'::text, 'never'::text])),
    CONSTRAINT organisation_settings_time_zone_check CHECK (length(time_zone) <= 64),
    CONSTRAINT organisation_settings_undo_days_check CHECK (undo_days >= 0 AND undo_days <= 90),
    CONSTRAINT organisation_settings_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES loadbay.organisations(id)
);
ALTER TABLE loadbay.organisation_settings SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.organisation_settings ALTER COLUMN organisation_id SET (n_distinct=200);
ALTER TABLE loadbay.organisation_settings ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.organisation_settings FORCE ROW LEVEL SECURITY;
CREATE POLICY operator ON loadbay.organisation_settings FOR SELECT TO loadbay_operator USING (true);
CREATE POLICY tenant ON loadbay.organisation_settings TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.organisation_settings TO loadbay_app;
GRANT SELECT (organisation_id) ON loadbay.organisation_settings TO loadbay_operator;
GRANT SELECT (mail_domains) ON loadbay.organisation_settings TO loadbay_operator;

CREATE TABLE loadbay.event_mails (
    event_id        uuid NOT NULL,
    address         text NOT NULL,
    job_id          bigint NOT NULL,
    organisation_id bigint NOT NULL,
    sent_at         timestamp with time zone NOT NULL DEFAULT now(),
    fault           text,
    CONSTRAINT event_mails_pkey PRIMARY KEY (event_id, address),
    CONSTRAINT event_mails_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES loadbay.import_jobs(organisation_id, id) ON DELETE CASCADE
);
ALTER TABLE loadbay.event_mails SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.event_mails ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE INDEX event_mails_job ON loadbay.event_mails USING btree (job_id);
ALTER TABLE loadbay.event_mails ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.event_mails FORCE ROW LEVEL SECURITY;
CREATE POLICY maintenance ON loadbay.event_mails TO loadbay_maintenance USING (true) WITH CHECK (true);
CREATE POLICY tenant ON loadbay.event_mails TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.event_mails TO loadbay_app;
GRANT DELETE ON loadbay.event_mails TO loadbay_maintenance;
GRANT SELECT (ctid) ON loadbay.event_mails TO loadbay_maintenance;
GRANT SELECT (event_id) ON loadbay.event_mails TO loadbay_maintenance;
GRANT SELECT (job_id) ON loadbay.event_mails TO loadbay_maintenance;

CREATE TABLE loadbay.quarantined_drops (
    id              uuid NOT NULL,
    organisation_id bigint NOT NULL,
    object_key      text NOT NULL,
    kept_key        text NOT NULL,
    size_bytes      bigint NOT NULL,
    code            text NOT NULL,
    message         text NOT NULL,
    errors          jsonb NOT NULL DEFAULT '[]'::jsonb,
    quarantined_at  timestamp with time zone NOT NULL DEFAULT now(),
    CONSTRAINT quarantined_drops_pkey PRIMARY KEY (id),
    CONSTRAINT quarantined_drops_kept_key_check CHECK (length(kept_key) <= 2048),
    CONSTRAINT quarantined_drops_object_key_check CHECK (length(object_key) <= 1024),
    CONSTRAINT quarantined_drops_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES loadbay.organisations(id)
);
ALTER TABLE loadbay.quarantined_drops SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.quarantined_drops ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE INDEX quarantined_drops_age ON loadbay.quarantined_drops USING btree (quarantined_at);
CREATE INDEX quarantined_drops_list ON loadbay.quarantined_drops USING btree (organisation_id, quarantined_at DESC, id);
ALTER TABLE loadbay.quarantined_drops ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.quarantined_drops FORCE ROW LEVEL SECURITY;
CREATE POLICY maintenance ON loadbay.quarantined_drops TO loadbay_maintenance USING (true) WITH CHECK (true);
CREATE POLICY tenant ON loadbay.quarantined_drops TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.quarantined_drops TO loadbay_app;
GRANT DELETE ON loadbay.quarantined_drops TO loadbay_maintenance;
GRANT SELECT (quarantined_at) ON loadbay.quarantined_drops TO loadbay_maintenance;

CREATE TABLE loadbay.import_profiles (
    id              uuid NOT NULL,
    organisation_id bigint NOT NULL,
    import_type     text NOT NULL,
    name            text NOT NULL,
    auto            boolean NOT NULL DEFAULT false,
    fingerprint     text NOT NULL DEFAULT ''::text,
    version         integer NOT NULL,
    created_at      timestamp with time zone NOT NULL DEFAULT now(),
    updated_at      timestamp with time zone NOT NULL DEFAULT now(),
    notify          text[] NOT NULL DEFAULT '{}'::text[],
    CONSTRAINT import_profiles_pkey PRIMARY KEY (id),
    CONSTRAINT import_profiles_organisation_id_id_key UNIQUE (organisation_id, id),
    CONSTRAINT import_profiles_check CHECK (NOT auto OR fingerprint <> ''::text),
    CONSTRAINT import_profiles_fingerprint_check CHECK (fingerprint ~ '^([0-9a-f]{64})?$'::text),
    CONSTRAINT import_profiles_name_check CHECK (length(name) >= 1 AND length(name) <= 100),
    CONSTRAINT import_profiles_notify_check CHECK (cardinality(notify) <= 10),
    CONSTRAINT import_profiles_version_check CHECK (version > 0),
    CONSTRAINT import_profiles_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES loadbay.organisations(id)
);
ALTER TABLE loadbay.import_profiles SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.import_profiles ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE UNIQUE INDEX import_profiles_auto ON loadbay.import_profiles USING btree (organisation_id, import_type, fingerprint) WHERE auto;
CREATE UNIQUE INDEX import_profiles_name ON loadbay.import_profiles USING btree (organisation_id, import_type, lower(name));
ALTER TABLE loadbay.import_profiles ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.import_profiles FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON loadbay.import_profiles TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.import_profiles TO loadbay_app;

CREATE TABLE loadbay.import_profile_versions (
    profile_id      uuid NOT NULL,
    organisation_id bigint NOT NULL,
    version         integer NOT NULL,
    name            text NOT NULL,
    auto            boolean NOT NULL,
    headers         text[] NOT NULL,
    mapping         jsonb NOT NULL,
    saved_from      uuid,
    saved_by        text NOT NULL DEFAULT ''::text,
    created_at      timestamp with time zone NOT NULL DEFAULT now(),
    import_options  jsonb NOT NULL DEFAULT '{}'::jsonb,
    CONSTRAINT import_profile_versions_pkey PRIMARY KEY (profile_id, version),
    CONSTRAINT import_profile_versions_import_options_check CHECK (jsonb_typeof(import_options) = 'object'::text),
    CONSTRAINT import_profile_versions_version_check CHECK (version > 0),
    CONSTRAINT import_profile_versions_profile_fkey FOREIGN KEY (organisation_id, profile_id) REFERENCES loadbay.import_profiles(organisation_id, id) ON DELETE CASCADE
);
ALTER TABLE loadbay.import_profile_versions SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.import_profile_versions ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE INDEX import_profile_versions_organisation ON loadbay.import_profile_versions USING btree (organisation_id);
ALTER TABLE loadbay.import_profile_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.import_profile_versions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON loadbay.import_profile_versions TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, DELETE ON loadbay.import_profile_versions TO loadbay_app;
GRANT UPDATE (name) ON loadbay.import_profile_versions TO loadbay_app;
GRANT UPDATE (headers) ON loadbay.import_profile_versions TO loadbay_app;
GRANT UPDATE (mapping) ON loadbay.import_profile_versions TO loadbay_app;

CREATE TABLE loadbay.import_changes (
    job_id          bigint NOT NULL,
    organisation_id bigint NOT NULL,
    chunk_index     integer NOT NULL,
    part            integer NOT NULL,
    created         integer NOT NULL,
    updated         integer NOT NULL,
    deleted         integer NOT NULL,
    data            bytea NOT NULL,
    created_at      timestamp with time zone NOT NULL DEFAULT now(),
    place           bigint NOT NULL DEFAULT nextval('loadbay.import_changes_place'::regclass),
    first_row       bigint NOT NULL DEFAULT 0,
    last_row        bigint NOT NULL DEFAULT '9223372036854775807'::bigint,
    tally           jsonb NOT NULL DEFAULT '{}'::jsonb,
    CONSTRAINT import_changes_pkey PRIMARY KEY (job_id, chunk_index, part),
    CONSTRAINT import_changes_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES loadbay.import_jobs(organisation_id, id) ON DELETE CASCADE
);
ALTER TABLE loadbay.import_changes SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.import_changes ALTER COLUMN organisation_id SET (n_distinct=200);
ALTER TABLE loadbay.import_changes ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE UNIQUE INDEX import_changes_places ON loadbay.import_changes USING btree (place);
ALTER TABLE loadbay.import_changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.import_changes FORCE ROW LEVEL SECURITY;
CREATE POLICY maintenance ON loadbay.import_changes TO loadbay_maintenance USING (true) WITH CHECK (true);
CREATE POLICY tenant ON loadbay.import_changes TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.import_changes TO loadbay_app;
GRANT DELETE ON loadbay.import_changes TO loadbay_maintenance;
GRANT SELECT (ctid) ON loadbay.import_changes TO loadbay_maintenance;
GRANT SELECT (job_id) ON loadbay.import_changes TO loadbay_maintenance;
GRANT SELECT (chunk_index) ON loadbay.import_changes TO loadbay_maintenance;
GRANT SELECT (part) ON loadbay.import_changes TO loadbay_maintenance;

CREATE TABLE loadbay.import_plan_changes (
    job_id          bigint NOT NULL,
    organisation_id bigint NOT NULL,
    chunk_index     integer NOT NULL,
    part            integer NOT NULL,
    created         integer NOT NULL,
    updated         integer NOT NULL,
    deleted         integer NOT NULL,
    data            bytea NOT NULL,
    created_at      timestamp with time zone NOT NULL DEFAULT now(),
    first_row       bigint NOT NULL,
    last_row        bigint NOT NULL,
    tally           jsonb NOT NULL,
    CONSTRAINT import_plan_changes_pkey PRIMARY KEY (job_id, chunk_index, part),
    CONSTRAINT import_plan_changes_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES loadbay.import_jobs(organisation_id, id) ON DELETE CASCADE
);
ALTER TABLE loadbay.import_plan_changes SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.import_plan_changes ALTER COLUMN organisation_id SET (n_distinct=200);
ALTER TABLE loadbay.import_plan_changes ALTER COLUMN data SET STORAGE EXTERNAL;
ALTER TABLE loadbay.import_plan_changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.import_plan_changes FORCE ROW LEVEL SECURITY;
CREATE POLICY maintenance ON loadbay.import_plan_changes TO loadbay_maintenance USING (true) WITH CHECK (true);
CREATE POLICY tenant ON loadbay.import_plan_changes TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.import_plan_changes TO loadbay_app;
GRANT DELETE ON loadbay.import_plan_changes TO loadbay_maintenance;
GRANT SELECT (ctid) ON loadbay.import_plan_changes TO loadbay_maintenance;
GRANT SELECT (job_id) ON loadbay.import_plan_changes TO loadbay_maintenance;
GRANT SELECT (chunk_index) ON loadbay.import_plan_changes TO loadbay_maintenance;
GRANT SELECT (part) ON loadbay.import_plan_changes TO loadbay_maintenance;

CREATE TABLE loadbay.kept_changes (
    id              bigint NOT NULL DEFAULT nextval('loadbay.import_changes_place'::regclass),
    organisation_id bigint NOT NULL,
    job_id          bigint NOT NULL,
    entity_table    text NOT NULL,
    entity_id       text NOT NULL,
    column_name     text NOT NULL,
    given           text,
    instead         text,
    applied         boolean NOT NULL DEFAULT false,
    since           bigint NOT NULL DEFAULT 0,
    CONSTRAINT kept_changes_pkey PRIMARY KEY (id),
    CONSTRAINT kept_changes_column_name_check CHECK (length(column_name) <= 63),
    CONSTRAINT kept_changes_entity_id_check CHECK (length(entity_id) <= 63),
    CONSTRAINT kept_changes_entity_table_check CHECK (length(entity_table) <= 63),
    CONSTRAINT kept_changes_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES loadbay.import_jobs(organisation_id, id) ON DELETE CASCADE
);
ALTER TABLE loadbay.kept_changes SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.kept_changes ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE INDEX kept_changes_entity ON loadbay.kept_changes USING btree (organisation_id, entity_id, entity_table);
CREATE INDEX kept_changes_job ON loadbay.kept_changes USING btree (job_id);
CREATE TRIGGER capture_deletes AFTER DELETE ON loadbay.kept_changes REFERENCING OLD TABLE AS stale FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_inserts AFTER INSERT ON loadbay.kept_changes REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
CREATE TRIGGER capture_updates AFTER UPDATE ON loadbay.kept_changes REFERENCING OLD TABLE AS stale NEW TABLE AS fresh FOR EACH STATEMENT WHEN (current_setting('app.capture'::text, true) <> ''::text) EXECUTE FUNCTION loadbay.capture_changes();
ALTER TABLE loadbay.kept_changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.kept_changes FORCE ROW LEVEL SECURITY;
CREATE POLICY maintenance ON loadbay.kept_changes TO loadbay_maintenance USING (true) WITH CHECK (true);
CREATE POLICY tenant ON loadbay.kept_changes TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.kept_changes TO loadbay_app;
GRANT DELETE ON loadbay.kept_changes TO loadbay_maintenance;
GRANT SELECT (ctid) ON loadbay.kept_changes TO loadbay_maintenance;
GRANT SELECT (id) ON loadbay.kept_changes TO loadbay_maintenance;
GRANT SELECT (job_id) ON loadbay.kept_changes TO loadbay_maintenance;

CREATE TABLE loadbay.import_repeated_rows (
    job_id          bigint NOT NULL,
    organisation_id bigint NOT NULL,
    row_number      bigint NOT NULL,
    chunk_index     integer NOT NULL,
    first_row       bigint NOT NULL,
    outcome         smallint,
    CONSTRAINT import_repeated_rows_pkey PRIMARY KEY (job_id, row_number),
    CONSTRAINT import_repeated_rows_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES loadbay.import_jobs(organisation_id, id) ON DELETE CASCADE
);
ALTER TABLE loadbay.import_repeated_rows SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.import_repeated_rows ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE INDEX import_repeated_rows_first ON loadbay.import_repeated_rows USING btree (job_id, first_row);
ALTER TABLE loadbay.import_repeated_rows ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.import_repeated_rows FORCE ROW LEVEL SECURITY;
CREATE POLICY maintenance ON loadbay.import_repeated_rows TO loadbay_maintenance USING (true) WITH CHECK (true);
CREATE POLICY tenant ON loadbay.import_repeated_rows TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.import_repeated_rows TO loadbay_app;
GRANT DELETE ON loadbay.import_repeated_rows TO loadbay_maintenance;
GRANT SELECT (ctid) ON loadbay.import_repeated_rows TO loadbay_maintenance;
GRANT SELECT (job_id) ON loadbay.import_repeated_rows TO loadbay_maintenance;
GRANT SELECT (row_number) ON loadbay.import_repeated_rows TO loadbay_maintenance;

CREATE TABLE loadbay.person_erasures (
    organisation_id bigint NOT NULL,
    person_id       bigint NOT NULL,
    traces          jsonb NOT NULL,
    place           jsonb NOT NULL,
    changes         bigint NOT NULL DEFAULT 0,
    began_at        timestamp with time zone NOT NULL DEFAULT now(),
    touched_at      timestamp with time zone NOT NULL DEFAULT now(),
    requeues        integer NOT NULL DEFAULT 0,
    CONSTRAINT person_erasures_pkey PRIMARY KEY (organisation_id, person_id),
    CONSTRAINT person_erasures_requeues_check CHECK (requeues >= 0),
    CONSTRAINT person_erasures_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES loadbay.organisations(id)
);
ALTER TABLE loadbay.person_erasures SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.person_erasures ALTER COLUMN organisation_id SET (n_distinct=200);
ALTER TABLE loadbay.person_erasures ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.person_erasures FORCE ROW LEVEL SECURITY;
CREATE POLICY maintenance ON loadbay.person_erasures TO loadbay_maintenance USING (true) WITH CHECK (true);
CREATE POLICY operator ON loadbay.person_erasures FOR SELECT TO loadbay_operator USING (true);
CREATE POLICY tenant ON loadbay.person_erasures TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.person_erasures TO loadbay_app;
GRANT SELECT (organisation_id) ON loadbay.person_erasures TO loadbay_maintenance;
GRANT SELECT (person_id) ON loadbay.person_erasures TO loadbay_maintenance;
GRANT SELECT (touched_at) ON loadbay.person_erasures TO loadbay_maintenance;
GRANT UPDATE (touched_at) ON loadbay.person_erasures TO loadbay_maintenance;
GRANT SELECT (requeues) ON loadbay.person_erasures TO loadbay_maintenance;
GRANT UPDATE (requeues) ON loadbay.person_erasures TO loadbay_maintenance;
GRANT SELECT (organisation_id) ON loadbay.person_erasures TO loadbay_operator;
GRANT SELECT (person_id) ON loadbay.person_erasures TO loadbay_operator;
GRANT SELECT (changes) ON loadbay.person_erasures TO loadbay_operator;
GRANT SELECT (began_at) ON loadbay.person_erasures TO loadbay_operator;

CREATE TABLE loadbay.import_undo_retries (
    job_id          bigint NOT NULL,
    organisation_id bigint NOT NULL,
    retry           uuid NOT NULL,
    changes         bigint NOT NULL,
    CONSTRAINT import_undo_retries_pkey PRIMARY KEY (job_id, retry),
    CONSTRAINT import_undo_retries_job_fkey FOREIGN KEY (organisation_id, job_id) REFERENCES loadbay.import_jobs(organisation_id, id) ON DELETE CASCADE
);
ALTER TABLE loadbay.import_undo_retries SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.import_undo_retries ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE INDEX import_undo_retries_of ON loadbay.import_undo_retries USING btree (retry, job_id);
ALTER TABLE loadbay.import_undo_retries ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.import_undo_retries FORCE ROW LEVEL SECURITY;
CREATE POLICY maintenance ON loadbay.import_undo_retries TO loadbay_maintenance USING (true) WITH CHECK (true);
CREATE POLICY tenant ON loadbay.import_undo_retries TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.import_undo_retries TO loadbay_app;
GRANT DELETE ON loadbay.import_undo_retries TO loadbay_maintenance;
GRANT SELECT (ctid) ON loadbay.import_undo_retries TO loadbay_maintenance;
GRANT SELECT (job_id) ON loadbay.import_undo_retries TO loadbay_maintenance;
GRANT SELECT (retry) ON loadbay.import_undo_retries TO loadbay_maintenance;
GRANT SELECT (changes) ON loadbay.import_undo_retries TO loadbay_maintenance;

CREATE VIEW loadbay.import_undos WITH (security_invoker=true) AS
 SELECT import_jobs.id AS job_id,
    import_jobs.undo_of AS reverted
   FROM loadbay.import_jobs
  WHERE import_jobs.undo_of IS NOT NULL
UNION ALL
 SELECT import_undo_retries.job_id,
    import_undo_retries.retry AS reverted
   FROM loadbay.import_undo_retries;
GRANT SELECT ON loadbay.import_undos TO loadbay_app;
GRANT SELECT ON loadbay.import_undos TO loadbay_maintenance;

CREATE TABLE loadbay.import_types (
    organisation_id bigint NOT NULL,
    name            text NOT NULL,
    version         integer NOT NULL,
    created_at      timestamp with time zone NOT NULL DEFAULT now(),
    retired_at      timestamp with time zone,
    CONSTRAINT import_types_pkey PRIMARY KEY (organisation_id, name),
    CONSTRAINT import_types_name_check CHECK (name ~ '^[A-Z][A-Z0-9_]{0,62}$'::text),
    CONSTRAINT import_types_version_check CHECK (version > 0),
    CONSTRAINT import_types_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES loadbay.organisations(id)
);
ALTER TABLE loadbay.import_types SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.import_types ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE TRIGGER require_confirmed_deletion BEFORE DELETE ON loadbay.import_types FOR EACH ROW EXECUTE FUNCTION loadbay.require_confirmed_deletion('organisation_id');
ALTER TABLE loadbay.import_types ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.import_types FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON loadbay.import_types TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.import_types TO loadbay_app;

CREATE TABLE loadbay.import_type_versions (
    organisation_id bigint NOT NULL,
    name            text NOT NULL,
    version         integer NOT NULL,
    declaration     jsonb NOT NULL,
    adopted         jsonb NOT NULL,
    saved_by        text NOT NULL DEFAULT ''::text,
    created_at      timestamp with time zone NOT NULL DEFAULT now(),
    CONSTRAINT import_type_versions_pkey PRIMARY KEY (organisation_id, name, version),
    CONSTRAINT import_type_versions_adopted_check CHECK (jsonb_typeof(adopted) = 'object'::text),
    CONSTRAINT import_type_versions_declaration_check CHECK (jsonb_typeof(declaration) = 'object'::text),
    CONSTRAINT import_type_versions_version_check CHECK (version > 0),
    CONSTRAINT import_type_versions_type_fkey FOREIGN KEY (organisation_id, name) REFERENCES loadbay.import_types(organisation_id, name)
);
ALTER TABLE loadbay.import_type_versions SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.import_type_versions ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE TRIGGER require_confirmed_deletion BEFORE DELETE ON loadbay.import_type_versions FOR EACH ROW EXECUTE FUNCTION loadbay.require_confirmed_deletion('organisation_id');
ALTER TABLE loadbay.import_type_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.import_type_versions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON loadbay.import_type_versions TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, DELETE ON loadbay.import_type_versions TO loadbay_app;

CREATE TABLE loadbay.api_keys (
    organisation_id bigint NOT NULL,
    id              uuid NOT NULL,
    name            text NOT NULL,
    scopes          text[] NOT NULL,
    hash            bytea NOT NULL,
    previous_hash   bytea,
    previous_until  timestamp with time zone,
    created_by      text NOT NULL DEFAULT ''::text,
    created_at      timestamp with time zone NOT NULL DEFAULT now(),
    rotated_at      timestamp with time zone,
    expires_at      timestamp with time zone NOT NULL,
    last_used_at    timestamp with time zone,
    revoked_at      timestamp with time zone,
    revoked_by      text,
    rotated_by      text[] NOT NULL DEFAULT '{}'::text[],
    CONSTRAINT api_keys_pkey PRIMARY KEY (organisation_id, id),
    CONSTRAINT api_keys_check CHECK ((previous_hash IS NULL) = (previous_until IS NULL)),
    CONSTRAINT api_keys_check1 CHECK ((revoked_at IS NULL) = (revoked_by IS NULL)),
    CONSTRAINT api_keys_hash_check CHECK (length(hash) = 32),
    CONSTRAINT api_keys_name_check CHECK (length(name) >= 1 AND length(name) <= 100),
    CONSTRAINT api_keys_previous_hash_check CHECK (length(previous_hash) = 32),
    CONSTRAINT api_keys_scopes_check CHECK (cardinality(scopes) >= 1 AND cardinality(scopes) <= 50),
    CONSTRAINT api_keys_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES loadbay.organisations(id)
);
ALTER TABLE loadbay.api_keys SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.api_keys ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE UNIQUE INDEX api_keys_name ON loadbay.api_keys USING btree (organisation_id, lower(name)) WHERE revoked_at IS NULL;
ALTER TABLE loadbay.api_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.api_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON loadbay.api_keys TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.api_keys TO loadbay_app;

CREATE TABLE loadbay.installation (
    single  boolean NOT NULL DEFAULT true,
    samples boolean,
    CONSTRAINT installation_pkey PRIMARY KEY (single),
    CONSTRAINT installation_single_check CHECK (single)
);
GRANT SELECT ON loadbay.installation TO loadbay_app;

CREATE TABLE loadbay.past_answers (
    organisation_id bigint NOT NULL,
    id              uuid NOT NULL,
    import_type     text NOT NULL,
    field           text NOT NULL,
    text            text NOT NULL,
    answers         jsonb NOT NULL,
    answered_at     timestamp with time zone NOT NULL DEFAULT now(),
    CONSTRAINT past_answers_pkey PRIMARY KEY (organisation_id, id),
    CONSTRAINT past_answers_answers_check CHECK (jsonb_array_length(answers) >= 1 AND jsonb_array_length(answers) <= 3),
    CONSTRAINT past_answers_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES loadbay.organisations(id)
);
ALTER TABLE loadbay.past_answers SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.past_answers ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE INDEX past_answers_age ON loadbay.past_answers USING btree (organisation_id, answered_at, id);
ALTER TABLE loadbay.past_answers ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.past_answers FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON loadbay.past_answers TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.past_answers TO loadbay_app;

CREATE TABLE loadbay.organisation_deletions (
    organisation_id bigint NOT NULL,
    requested_at    timestamp with time zone NOT NULL DEFAULT now(),
    requested_by    text,
    other_person    boolean NOT NULL DEFAULT false,
    confirmed_at    timestamp with time zone,
    completed_at    timestamp with time zone,
    deleted_rows    jsonb NOT NULL DEFAULT '{}'::jsonb,
    deleted_objects bigint NOT NULL DEFAULT 0,
    touched_at      timestamp with time zone NOT NULL DEFAULT now(),
    requeues        integer NOT NULL DEFAULT 0,
    CONSTRAINT organisation_deletions_pkey PRIMARY KEY (organisation_id),
    CONSTRAINT organisation_deletions_check CHECK (completed_at IS NULL OR confirmed_at IS NOT NULL AND requested_by IS NULL),
    CONSTRAINT organisation_deletions_requeues_check CHECK (requeues >= 0)
);
ALTER TABLE loadbay.organisation_deletions SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.organisation_deletions ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE INDEX organisation_deletions_open ON loadbay.organisation_deletions USING btree (touched_at) WHERE confirmed_at IS NOT NULL AND completed_at IS NULL;
CREATE TRIGGER keep_receipt BEFORE DELETE ON loadbay.organisation_deletions FOR EACH ROW WHEN (old.confirmed_at IS NOT NULL) EXECUTE FUNCTION loadbay.keep_receipt();
ALTER TABLE loadbay.organisation_deletions ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.organisation_deletions FORCE ROW LEVEL SECURITY;
CREATE POLICY maintenance ON loadbay.organisation_deletions TO loadbay_maintenance USING (true) WITH CHECK (true);
CREATE POLICY operator ON loadbay.organisation_deletions FOR SELECT TO loadbay_operator USING (true);
CREATE POLICY tenant ON loadbay.organisation_deletions TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, UPDATE, DELETE ON loadbay.organisation_deletions TO loadbay_app;
GRANT SELECT (organisation_id) ON loadbay.organisation_deletions TO loadbay_maintenance;
GRANT SELECT (confirmed_at) ON loadbay.organisation_deletions TO loadbay_maintenance;
GRANT SELECT (completed_at) ON loadbay.organisation_deletions TO loadbay_maintenance;
GRANT SELECT (touched_at) ON loadbay.organisation_deletions TO loadbay_maintenance;
GRANT UPDATE (touched_at) ON loadbay.organisation_deletions TO loadbay_maintenance;
GRANT SELECT (requeues) ON loadbay.organisation_deletions TO loadbay_maintenance;
GRANT UPDATE (requeues) ON loadbay.organisation_deletions TO loadbay_maintenance;
GRANT SELECT (organisation_id) ON loadbay.organisation_deletions TO loadbay_operator;

CREATE TABLE loadbay.table_grants (
    organisation_id    bigint NOT NULL,
    id                 uuid NOT NULL,
    every_organisation boolean NOT NULL DEFAULT false,
    table_schema       text NOT NULL,
    table_name         text NOT NULL,
    tenant             jsonb NOT NULL,
    modes              text[] NOT NULL DEFAULT '{}'::text[],
    reference_only     boolean NOT NULL DEFAULT false,
    granted_by         text NOT NULL DEFAULT ''::text,
    granted_at         timestamp with time zone NOT NULL DEFAULT now(),
    CONSTRAINT table_grants_pkey PRIMARY KEY (organisation_id, id),
    CONSTRAINT table_grants_table_key UNIQUE (organisation_id, table_schema, table_name, reference_only, tenant),
    CONSTRAINT table_grants_tenant_check CHECK (jsonb_typeof(tenant) = 'object'::text),
    CONSTRAINT table_grants_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES loadbay.organisations(id)
);
ALTER TABLE loadbay.table_grants SET (autovacuum_analyze_threshold=1000, autovacuum_vacuum_threshold=1000);
ALTER TABLE loadbay.table_grants ALTER COLUMN organisation_id SET (n_distinct=200);
CREATE TRIGGER require_confirmed_deletion BEFORE DELETE ON loadbay.table_grants FOR EACH ROW WHEN (CURRENT_USER = 'loadbay_app'::name) EXECUTE FUNCTION loadbay.require_confirmed_deletion('organisation_id');
ALTER TABLE loadbay.table_grants ENABLE ROW LEVEL SECURITY;
ALTER TABLE loadbay.table_grants FORCE ROW LEVEL SECURITY;
CREATE POLICY operator ON loadbay.table_grants TO loadbay_operator USING (true) WITH CHECK (true);
CREATE POLICY tenant ON loadbay.table_grants TO loadbay_app USING (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation))) WITH CHECK (organisation_id = (( SELECT loadbay.current_organisation() AS current_organisation)));
GRANT SELECT, INSERT, DELETE ON loadbay.table_grants TO loadbay_app;
GRANT SELECT, INSERT, DELETE ON loadbay.table_grants TO loadbay_operator;
