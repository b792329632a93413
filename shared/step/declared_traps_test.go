package step_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	rules "github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// applyAfter plans a file, changes the database, applies the plan and returns its results.
func (e *engine) applyAfter(t *testing.T, importType, file, change string) []string {
	t.Helper()
	ref := e.plan(t, importType, file, func(j *job.Job) { j.TypeVersion = 1 })
	e.drain(t, false)
	e.awaitApproval(t, ref)
	e.Exec(t, change)
	require.NoError(t, e.approve(t, ref, job.SkipStale))
	e.drain(t, false)
	require.NoError(t, e.complete.Run(t.Context(), ref))
	require.True(t, e.job(t, ref).Progress.Reconciles())
	return e.results(t, ref)
}

// guarded is the shop with a trigger of its owner, which drops or refuses the rows that app.guards
// lists.
const guarded = shop + `;
	CREATE TABLE app.guards (sku text, what text);
	CREATE FUNCTION app.guard() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
	DECLARE found app.guards;
	BEGIN
		SELECT * INTO found FROM app.guards WHERE sku = coalesce(NEW.sku, OLD.sku);
		IF found.what = 'drop' THEN RETURN NULL; END IF;
		IF found.what = 'raise' THEN RAISE EXCEPTION 'not now'; END IF;
		RETURN coalesce(NEW, OLD);
	END $$;
	CREATE TRIGGER guard BEFORE INSERT OR UPDATE OR DELETE ON app.products FOR EACH ROW EXECUTE FUNCTION app.guard();
	GRANT DELETE ON app.products TO loadbay_app`

// Rows that a trigger drops or refuses when a plan is applied are not written, and not counted as written.
func TestDeclaredPlanReportsRowsThatTriggersRefuse(t *testing.T) {
	t.Parallel()
	e := setupDeclared(t, 100, guarded, productDeclaration)
	results := e.applyAfter(t, "PRODUCT", "SKU,Name\nA,Apples\nB,Pears\nC,Cherry\nD,Date\nE,Elder\n",
		`INSERT INTO app.guards VALUES ('A', 'drop'), ('C', 'drop'), ('E', 'raise')`)
	require.Equal(t, []string{"2 SKIPPED  PLAN_STALE", "3 UPDATED", "4 SKIPPED  PLAN_STALE", "5 CREATED", "6 SKIPPED  PLAN_STALE"}, results)
	require.Equal(t, []string{`A Apple 1.50 draft {"a": 1}`, "B Pears 2.00 draft", "D Date draft"}, e.products(t))
}

// An undo keeps the rows that a trigger does not let it change, reports them, and undoes the others.
func TestDeclaredUndoReportsRowsThatTriggersRefuse(t *testing.T) {
	t.Parallel()
	e := setupDeclared(t, 100, guarded, productDeclaration)
	ref := e.importFile(t, "PRODUCT", "SKU,Name\nA,Apples\nB,Pears\nC,Cherry\nD,Date\nE,Elder\n", false, declaredJob(rowwrite.Upsert))
	e.Exec(t, `INSERT INTO app.guards VALUES ('A', 'drop'), ('B', 'raise'), ('C', 'drop'), ('D', 'raise')`)
	undone := e.undo(t, ref, rules.Safe)
	require.Equal(t, []string{"1 UNDONE", "2 KEPT_LATER_EDIT  KEPT_LATER_EDIT", "3 KEPT_LATER_EDIT  KEPT_LATER_EDIT",
		"4 KEPT_LATER_EDIT NAME KEPT_LATER_EDIT UPDATED_AT KEPT_LATER_EDIT", "5 KEPT_LATER_EDIT NAME KEPT_LATER_EDIT UPDATED_AT KEPT_LATER_EDIT"}, e.results(t, undone))
	require.Equal(t, []string{`A Apples 1.50 draft {"a": 1}`, "B Pears 2.00 draft", "C Cherry draft", "D Date draft"}, e.products(t))
}

// Constraints that the table checks only at the end of a transaction refuse single rows of a plan and of
// an undo, too.
func TestDeclaredDeferredConstraintsRefuseSingleRows(t *testing.T) {
	t.Parallel()
	e := setupDeclared(t, 100, shop+`;
		CREATE TABLE app.kinds (status app.status PRIMARY KEY);
		INSERT INTO app.kinds VALUES ('draft'), ('live');
		ALTER TABLE app.products ADD FOREIGN KEY (status) REFERENCES app.kinds DEFERRABLE INITIALLY DEFERRED,
			ADD CONSTRAINT names UNIQUE ("Full name") DEFERRABLE INITIALLY DEFERRED;
		GRANT DELETE ON app.products TO loadbay_app`, productDeclaration)
	results := e.applyAfter(t, "PRODUCT", "SKU,Name,Status\nA,Apples,draft\nC,Cherry,live\nD,Date,draft\n",
		`DELETE FROM app.kinds WHERE status = 'live'; INSERT INTO app.products (sku, "Full name") VALUES ('X', 'Date')`)
	require.Equal(t, []string{"2 UPDATED", "3 SKIPPED  PLAN_STALE", "4 SKIPPED  PLAN_STALE"}, results)
	ref := e.importFile(t, "PRODUCT", "SKU,Name\nB,Pears\nA,Apricot\n", false, declaredJob(rowwrite.Upsert))
	require.Equal(t, []string{"2 UPDATED", "3 UPDATED"}, e.results(t, ref))
	e.Exec(t, `INSERT INTO app.products (sku, "Full name") VALUES ('Y', 'Pear')`)
	require.Equal(t, []string{"1 UNDONE", "2 KEPT_KEY_TAKEN NAME KEPT_KEY_TAKEN"}, e.results(t, e.undo(t, ref, rules.Safe)))
}

// A row of a plan is stale if its key exists by now, whatever guarantees the key.
func TestDeclaredPlanFindsKeysOfAllKinds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ ddl, index string }{
		"no index":     {"", "none"},
		"citext":       {`CREATE EXTENSION citext; ALTER TABLE app.products ALTER sku TYPE citext`, "products_sku"},
		"partial":      {`ALTER TABLE app.products DROP CONSTRAINT products_sku; CREATE UNIQUE INDEX products_sku ON app.products (sku) WHERE status <> 'live'`, "products_sku"},
		"exclusion":    {`ALTER TABLE app.products DROP CONSTRAINT products_sku, ADD CONSTRAINT one EXCLUDE USING btree (sku WITH =)`, "none"},
		"expression":   {`ALTER TABLE app.products DROP CONSTRAINT products_sku; CREATE UNIQUE INDEX products_sku ON app.products (lower(sku))`, "products_sku"},
		"not distinct": {`ALTER TABLE app.products DROP CONSTRAINT products_sku, ADD CONSTRAINT products_sku UNIQUE NULLS NOT DISTINCT (sku)`, "products_sku"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ddl := shop
			if c.ddl != "" {
				ddl += ";" + c.ddl
			}
			if name == "no index" {
				ddl += "; ALTER TABLE app.products DROP CONSTRAINT products_sku"
			}
			e := setupDeclared(t, 100, ddl, replaceIndex(productDeclaration, c.index))
			results := e.applyAfter(t, "PRODUCT", "SKU,Name\nA,Apples\nC,Cherry\nD,Date\n", `INSERT INTO app.products (sku, "Full name") VALUES ('D', 'Dated')`)
			require.Equal(t, []string{"2 UPDATED", "3 CREATED", "4 SKIPPED  PLAN_STALE"}, results)
			require.Equal(t, 1, postgrestest.Query[int](t, e.Database, `SELECT count(*)::int FROM app.products WHERE sku = 'D'`))
		})
	}
}

func replaceIndex(source, index string) string {
	return strings.Replace(source, "index: products_sku", "index: "+index, 1)
}
