-- +goose Up
-- What was chosen when Loadbay was installed. samples is whether the import types that come with it
-- can be used: NULL until the first run of migrate has decided, and true forever once it is true. An
-- installation with organisations has always had them. Row level security binds the owner, so it is
-- lifted to look for organisations.
CREATE TABLE loadbay.installation (
    single  boolean PRIMARY KEY DEFAULT true CHECK (single), -- there is one row
    samples boolean
);
ALTER TABLE loadbay.organisations NO FORCE ROW LEVEL SECURITY;
INSERT INTO loadbay.installation (samples) SELECT CASE WHEN EXISTS (SELECT FROM loadbay.organisations) THEN true END;
ALTER TABLE loadbay.organisations FORCE ROW LEVEL SECURITY;
GRANT SELECT ON loadbay.installation TO loadbay_app;
