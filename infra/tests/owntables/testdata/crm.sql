-- Customers of several organisations, with what the public samples lack: tenants, rows marked as
-- deleted, partial, expression and deferrable keys, policies, and triggers that change and refuse rows.
CREATE SCHEMA crm;
CREATE TYPE crm.status AS ENUM ('active', 'blocked', 'closed');
CREATE DOMAIN crm.country AS char(2) CHECK (VALUE ~ '^[A-Z]{2}$');
CREATE TABLE crm.users (
	id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	org_id bigint NOT NULL,
	email text NOT NULL,
	employee_no varchar(20),
	UNIQUE (org_id, email),
	UNIQUE (org_id, employee_no)
);
CREATE TABLE crm.accounts (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	org_id bigint NOT NULL,
	external_id varchar(40),
	email text,
	first_name text,
	last_name text NOT NULL,
	status crm.status NOT NULL DEFAULT 'active',
	credit_limit numeric(12, 2) CHECK (credit_limit >= 0),
	size text CHECK (size IN ('small', 'medium', 'large')),
	owner_id integer REFERENCES crm.users,
	parent_id bigint REFERENCES crm.accounts,
	country crm.country,
	vat_no text,
	tags text[],
	meta jsonb,
	score real,
	seen_at timestamp,
	picture bytea,
	full_name text GENERATED ALWAYS AS (coalesce(first_name || ' ', '') || last_name) STORED,
	created_at timestamptz NOT NULL DEFAULT now(),
	updated_at timestamptz NOT NULL DEFAULT now(),
	deleted_at timestamptz,
	CONSTRAINT accounts_vat_needs_country CHECK (vat_no IS NULL OR country IS NOT NULL),
	CONSTRAINT accounts_vat_no_key UNIQUE (vat_no)
);
COMMENT ON COLUMN crm.accounts.external_id IS 'Customer number';
COMMENT ON COLUMN crm.accounts.score IS 'From 0 to 1. Computed every night.';
CREATE UNIQUE INDEX accounts_org_external_id_key ON crm.accounts (org_id, external_id);
CREATE UNIQUE INDEX accounts_org_email_live ON crm.accounts (org_id, lower(email)) WHERE deleted_at IS NULL;
CREATE FUNCTION crm.touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.updated_at := now(); RETURN NEW; END $$;
CREATE TRIGGER touch BEFORE UPDATE ON crm.accounts FOR EACH ROW EXECUTE FUNCTION crm.touch();
CREATE FUNCTION crm.tidy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW.last_name LIKE 'skip%' THEN RETURN NULL; END IF;
	IF NEW.last_name LIKE 'raise%' THEN RAISE 'no such name'; END IF;
	NEW.vat_no := upper(NEW.vat_no);
	RETURN NEW;
END $$;
CREATE TRIGGER tidy BEFORE INSERT OR UPDATE ON crm.accounts FOR EACH ROW EXECUTE FUNCTION crm.tidy();
CREATE FUNCTION crm.tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM dblink_exec('crm', 'SELECT 1'); RETURN NULL; END $$;
CREATE TRIGGER tell AFTER DELETE ON crm.accounts FOR EACH ROW EXECUTE FUNCTION crm.tell();
CREATE TABLE crm.orders (
	org_id bigint NOT NULL,
	number integer NOT NULL,
	account_id bigint NOT NULL REFERENCES crm.accounts ON DELETE CASCADE,
	placed_on date NOT NULL,
	place integer,
	PRIMARY KEY (org_id, number),
	UNIQUE (org_id, place) DEFERRABLE
);
ALTER TABLE crm.orders ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON crm.orders USING (org_id = current_setting('app.tenant')::bigint);
-- What cannot be adopted.
CREATE TABLE crm.log (at timestamptz, text text);
CREATE TABLE crm.cards (id integer PRIMARY KEY, content bytea NOT NULL);
CREATE TABLE crm.old_prices (id integer PRIMARY KEY, price money NOT NULL);
CREATE TABLE crm.kept (id integer PRIMARY KEY);
CREATE RULE keep AS ON DELETE TO crm.kept DO INSTEAD NOTHING;
CREATE TABLE crm.base (id integer PRIMARY KEY);
CREATE TABLE crm.derived (extra text) INHERITS (crm.base);
CREATE TABLE crm.visits (id integer, at date, note text, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
CREATE TABLE crm.visits_2020 PARTITION OF crm.visits FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
CREATE VIEW crm.live AS SELECT id FROM crm.accounts WHERE deleted_at IS NULL;
