-- +goose Up
-- An organisation names the domains of its mail addresses, and the operator confirms that they are
-- its own: the mail has the operator's sender. Domains in use stay confirmed. Row level security
-- binds the owner, so it is lifted to see them.
ALTER TABLE organisations ADD COLUMN mail_domains text[] NOT NULL DEFAULT '{}' CHECK (cardinality(mail_domains) <= 20);
ALTER TABLE organisations NO FORCE ROW LEVEL SECURITY;
ALTER TABLE organisation_settings NO FORCE ROW LEVEL SECURITY;
UPDATE organisations AS o SET mail_domains = s.mail_domains
FROM organisation_settings AS s
WHERE s.organisation_id = o.id AND s.mail_domains <> '{}';
ALTER TABLE organisation_settings FORCE ROW LEVEL SECURITY;
ALTER TABLE organisations FORCE ROW LEVEL SECURITY;
-- The operator sees which domains wait for confirmation.
CALL let_oversee('organisation_settings', 'organisation_id, mail_domains');
