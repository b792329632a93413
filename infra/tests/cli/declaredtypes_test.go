package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

const productDeclaration = `loadbay: type/1
name: PRODUCT
title: Products
target: {table: app.products}
tenant: {none: true}
identity: [id]
keys: [{name: sku, fields: [SKU], index: products_sku_key}]
fields:
  - {name: SKU, column: sku, required: true, aliases: [Article number]}
  - {name: NAME, column: name, required: true}
  - {name: PRICE, column: price, min: 0}
`

// A table of a customer's own is declared, imported and restored, with the commands of the README.
func TestDeclaredTypeIsAppliedImportedAndUndone(t *testing.T) {
	t.Parallel()
	stacktest.SkipShort(t)
	s := newShell(t, stacktest.Start(t))
	admin, err := pgx.Connect(t.Context(), s.stack.DatabaseURL(t))
	require.NoError(t, err)
	defer admin.Close(t.Context())
	_, err = admin.Exec(t.Context(), `
		CREATE SCHEMA app;
		CREATE TABLE app.products (id bigserial PRIMARY KEY, sku text NOT NULL CONSTRAINT products_sku_key UNIQUE, name text NOT NULL, price numeric(10,2) CHECK (price < 1000));
		INSERT INTO app.products (sku, name, price) VALUES ('A1', 'Anchor', 10), ('B2', 'Buoy', 20);
		GRANT USAGE ON SCHEMA app TO loadbay_app;
		GRANT SELECT, INSERT, UPDATE, DELETE ON app.products TO loadbay_app; -- an undo deletes created rows
		GRANT USAGE ON SEQUENCE app.products_id_seq TO loadbay_app`)
	require.NoError(t, err)
	table := func() (found string) {
		require.NoError(t, admin.QueryRow(t.Context(), `SELECT string_agg(concat_ws(' ', sku, name, price), ', ' ORDER BY sku) FROM app.products`).Scan(&found))
		return found
	}
	before := table()
	write := func(name, text string) string {
		path := filepath.Join(s.dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	s.mustRun(t, "installation", "add", "local", "http://"+s.stack.API)

	declaration := write("product.yaml", productDeclaration)
	require.Equal(t, 5, s.run(t, "", "types", "diff", "-f", declaration).code, "the type does not exist")
	require.Equal(t, "PRODUCT created\n", s.mustRun(t, "types", "apply", "-f", declaration))
	require.Equal(t, "PRODUCT unchanged: version 1\n", s.mustRun(t, "types", "apply", "-f", declaration))
	require.Empty(t, strings.TrimSpace(s.mustRun(t, "types", "diff", "-f", declaration, "--jq", ".[]")))
	shown := write("shown.yaml", s.mustRun(t, "types", "show", "product"))
	require.Equal(t, 0, s.run(t, "", "types", "diff", "-f", shown).code, "what show prints is the declaration")
	changed := write("changed.yaml", strings.Replace(productDeclaration, "min: 0", "min: 1", 1))
	difference := s.run(t, "", "types", "diff", "-f", changed, "--jq", ".[] | [.path, .now, .then] | join(\" \")")
	require.Equal(t, []any{5, "fields.PRICE.min 0 1\n"}, []any{difference.code, difference.out}, difference.err)
	broken := s.run(t, "", "types", "apply", "-f", write("broken.yaml", strings.Replace(productDeclaration, "title:", "titel:", 1)))
	require.Equal(t, 1, broken.code)
	require.Contains(t, broken.err, "titel: Line 3, column 1: Unknown key.")
	require.Contains(t, s.mustRun(t, "types", "list"), "app.products")
	require.Contains(t, s.mustRun(t, "types"), "PRODUCT")

	file := write("products.csv", "Article number,Name,Price\nB2,Big buoy,25.50\nC3,Chain,30\nD4,Davit,5000\n")
	imported := s.run(t, "", "import", file, "--type", "app.products", "--mode", "upsert", "--yes", "--json", "identifier,createdCount,updatedCount,errorCount", "--jq", `.identifier`)
	require.Equal(t, 4, imported.code, "a row is refused by the table's own constraint\n%s%s", imported.out, imported.err)
	id := strings.TrimSpace(imported.out)
	require.Equal(t, "A1 Anchor 10.00, B2 Big buoy 25.50, C3 Chain 30.00", table())
	require.Contains(t, s.mustRun(t, "errors", id), "4")

	undone := s.run(t, "", "undo", id, "--mode", "safe")
	require.Equal(t, 0, undone.code, undone.out+undone.err)
	require.Equal(t, before, table())
	require.Equal(t, "1\n", s.mustRun(t, "types", "versions", "PRODUCT", "--jq", ".[].version"))
	s.mustRun(t, "types", "retire", "PRODUCT")
	require.Contains(t, s.run(t, "", "import", file, "--type", "PRODUCT", "--yes").err, "retired")
}

// The draft of a table is a file that can be checked and applied, once the table's owner has run the
// statements that are printed with it.
func TestTableIsAdoptedGrantedAndChecked(t *testing.T) {
	t.Parallel()
	s := newShell(t, stacktest.Start(t))
	admin, err := pgx.Connect(t.Context(), s.stack.DatabaseURL(t))
	require.NoError(t, err)
	defer admin.Close(t.Context())
	_, err = admin.Exec(t.Context(), `
		CREATE SCHEMA crm;
		CREATE TABLE crm.accounts (id bigserial PRIMARY KEY, code text NOT NULL CONSTRAINT accounts_code_key UNIQUE, "Full name" text NOT NULL);
		CREATE TABLE crm.notes (text text);
		INSERT INTO crm.accounts (code, "Full name") VALUES ('A', 'Anchor'), ('B', 'Buoy')`)
	require.NoError(t, err)
	s.mustRun(t, "installation", "add", "local", "http://"+s.stack.API)

	require.Equal(t, "crm.accounts true null\ncrm.notes false crm.notes has no primary key, so undo could not identify its rows. Add one, or a unique index over columns that are NOT NULL.\n",
		s.mustRun(t, "types", "tables", "CRM.", "--jq", `.[] | "\(.table) \(.adoptable) \(.reason)"`))
	require.Regexp(t, `crm.notes\s+-\s+-\s+crm.notes has no primary key`, s.mustRun(t, "types", "tables", "crm."))
	require.Contains(t, s.mustRun(t, "__complete", "types", "adopt", ""), "crm.accounts\n")
	refused := s.run(t, "", "types", "adopt", "crm.notes")
	require.Equal(t, []any{1, ""}, []any{refused.code, refused.out})
	require.Contains(t, refused.err, "has no primary key")

	draft := s.run(t, "", "types", "adopt", "crm.accounts")
	require.Equal(t, 0, draft.code, draft.err)
	require.Contains(t, draft.err, "warning: tenant: ")
	require.Contains(t, draft.err, "\nGRANT SELECT, INSERT, UPDATE ON \"crm\".\"accounts\" TO \"loadbay_app\";\n")
	require.Contains(t, draft.err, "\n-- optional: GRANT DELETE ")
	s.writeFile(t, "account.yaml", draft.out)

	lacking := s.run(t, "", "types", "check", "-f", "account.yaml", "--grants", "grants.sql")
	require.Equal(t, 1, lacking.code, lacking.err)
	require.Equal(t, "CRM_ACCOUNTS: imports would fail; rows written and rolled back: 0\n", lacking.out)
	require.Contains(t, lacking.err, "error: The role loadbay_app lacks privileges.")
	require.Equal(t, 2, s.run(t, "", "types", "check", "-f", "account.yaml", "--grants", "grants.sql").code, "the file exists")
	grants, err := os.ReadFile(filepath.Join(s.dir, "grants.sql"))
	require.NoError(t, err)
	_, err = admin.Exec(t.Context(), string(grants))
	require.NoError(t, err, "%s", grants)

	checked := s.run(t, "", "types", "check", "-f", "account.yaml")
	require.Equal(t, 0, checked.code, checked.out+checked.err)
	require.Regexp(t, `^CRM_ACCOUNTS: imports would work; rows written and rolled back: [1-3]\n$`, checked.out)
	s.mustRun(t, "types", "apply", "-f", "account.yaml")
	require.Equal(t, "true\n", s.mustRun(t, "types", "check", "crm_accounts", "--jq", ".ok"))
	require.Equal(t, 2, s.run(t, "", "types", "check").code, "neither a type nor a file")

	require.Empty(t, strings.TrimSpace(s.mustRun(t, "types", "drift", "CRM_ACCOUNTS", "--jq", ".[]")))
	_, err = admin.Exec(t.Context(), `ALTER TABLE crm.accounts RENAME COLUMN "Full name" TO name`)
	require.NoError(t, err)
	drift := s.run(t, "", "types", "drift", "CRM_ACCOUNTS", "--jq", `.[] | select(.category == "columnGone") | "\(.column) \(.reaction)"`)
	require.Equal(t, []any{5, "Full name hold\n"}, []any{drift.code, drift.out}, drift.err)
}
