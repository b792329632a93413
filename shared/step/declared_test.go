package step_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	rules "github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/entity/declared/expression"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/runtime/outage"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// declaredTypes are the compiled types and one that is declared.
type declaredTypes struct {
	*catalog.Catalog
	kind entity.Type
}

func (d *declaredTypes) Type(ctx context.Context, tx pgx.Tx, organisation tenant.ID, name string, version int) (entity.Type, error) {
	if d.kind != nil && name == d.kind.Declaration().Name {
		return d.kind, nil
	}
	return d.Catalog.Type(ctx, tx, organisation, name, version)
}

// shop is a table of products that belongs to another role. Loadbay's role is no superuser, and may
// SELECT, INSERT and UPDATE there; orders refer to products, and vanish with them.
const shop = `
	CREATE SCHEMA app;
	CREATE TYPE app.status AS ENUM ('draft', 'live');
	CREATE TABLE app.products (
		id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		sku varchar(8) NOT NULL CONSTRAINT products_sku UNIQUE,
		"Full name" text NOT NULL,
		price numeric(6,2) CONSTRAINT positive CHECK (price > 0),
		status app.status NOT NULL DEFAULT 'draft',
		document json,
		updated_at timestamptz NOT NULL DEFAULT now()
	);
	CREATE TABLE app.orders (id integer PRIMARY KEY, product integer REFERENCES app.products ON DELETE CASCADE);
	INSERT INTO app.products (sku, "Full name", price, document) VALUES ('A', 'Apple', 1.5, '{"a": 1}'), ('B', 'Pear', 2, NULL);
	GRANT USAGE ON SCHEMA app TO loadbay_app;
	GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA app TO loadbay_app`

const productDeclaration = `
loadbay: type/1
name: PRODUCT
title: Products
target: {table: app.products}
tenant: {none: true}
identity: [id]
keys: [{name: sku, fields: [SKU], index: products_sku}]
touched: [updated_at]
fields:
  - {name: SKU, column: sku, required: true, identifying: true}
  - {name: NAME, column: Full name, title: Name}
  - {name: PRICE, column: price}
  - {name: STATUS, column: status}
`

// setupDeclared returns an engine with a declared type.
func setupDeclared(t *testing.T, chunkRows int, ddl, source string) *engine {
	t.Helper()
	types := &declaredTypes{Catalog: catalog.New()}
	e := setupTypes(t, chunkRows, types)
	e.Exec(t, ddl)
	declaration, err := declared.Parse([]byte(source))
	require.NoError(t, err)
	schema, name, _ := declared.SplitTable(declaration.Target.Table)
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		table, err := pgtable.Read(t.Context(), tx, schema, name)
		if err != nil {
			return err
		}
		compiled, err := declared.Compile(declaration, table)
		if err != nil {
			return err
		}
		types.kind = compiled
		compiled.Declaration().Expressions, err = expression.Compile(compiled)
		return err
	}))
	return e
}

func declaredJob(mode rowwrite.Mode) func(*job.Job) {
	return func(j *job.Job) { j.TypeVersion, j.Mode = 1, mode }
}

// products returns the products without ids and times.
func (e *engine) products(t *testing.T) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, e.Database, `SELECT array_agg(concat_ws(' ', sku, "Full name", price, status, document) ORDER BY sku) FROM app.products`)
}

// Rows of a file that share keys are decided in the order of the file, for any size of chunks and any
// order in which they are processed: nothing in the table tells which row wrote an entry.
const productFile = "SKU,Name,Price,Status\nC,Cherry,1,\nA,Apple,1.50,\nD,,2,\nB,Pears,,live\nC,Cherries,,live\nE,Elder,-1,\nD,Date,2,\nA,Apples,1.75,draft\nC,,3,\nE,Elderberry,1,\n"

func TestDeclaredImportIsIndependentOfChunks(t *testing.T) {
	t.Parallel()
	for _, mode := range []rowwrite.Mode{rowwrite.Insert, rowwrite.Upsert} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			whole := setupDeclared(t, 100, shop, productDeclaration)
			ref := whole.importFile(t, "PRODUCT", productFile, false, declaredJob(mode))
			results, rows := whole.results(t, ref), whole.products(t)
			if mode == rowwrite.Upsert {
				require.Equal(t, []string{
					"2 CREATED  ROW_SUPERSEDED", "3 UPDATED  ROW_SUPERSEDED", "4 ERROR NAME CELL_REQUIRED", "5 UPDATED", "6 UPDATED  ROW_SUPERSEDED",
					"7 ERROR PRICE ROW_REJECTED", "8 CREATED", "9 UPDATED", "10 UPDATED", "11 CREATED",
				}, results)
				require.Equal(t, []string{`A Apples 1.75 draft {"a": 1}`, "B Pears 2.00 live", "C Cherries 3.00 live", "D Date 2.00 draft", "E Elderberry 1.00 draft"}, rows)
			}
			for _, chunkRows := range []int{1, 3} {
				for _, backwards := range []bool{false, true} {
					e := setupDeclared(t, chunkRows, shop, productDeclaration)
					ref := e.importFile(t, "PRODUCT", productFile, backwards, declaredJob(mode))
					require.Equal(t, results, e.results(t, ref), "%d rows a chunk, backwards %v", chunkRows, backwards)
					require.Equal(t, rows, e.products(t))
					require.True(t, e.job(t, ref).Progress.Reconciles())
					again := e.importFile(t, "PRODUCT", "SKU,Name\nA,Apples\n", false, declaredJob(rowwrite.Upsert))
					if mode == rowwrite.Upsert {
						require.Equal(t, []string{"2 UNCHANGED"}, e.results(t, again))
					}
				}
			}
		})
	}
}

// In mode update, rows change products that exist; the others are errors, also in a plan.
func TestDeclaredUpdateCreatesNothing(t *testing.T) {
	t.Parallel()
	const file = "SKU,Name\nC,Cherry\nA,Apples\nB,Pear\nC,Cherries\n"
	want := []string{"2 ERROR SKU ENTITY_NOT_FOUND", "3 UPDATED", "4 UNCHANGED", "5 ERROR SKU ENTITY_NOT_FOUND"}
	e := setupDeclared(t, 2, shop, productDeclaration)
	ref := e.plan(t, "PRODUCT", file, declaredJob(rowwrite.Update))
	e.drain(t, false)
	e.awaitApproval(t, ref)
	require.Equal(t, want, e.results(t, ref))
	require.NoError(t, e.approve(t, ref, job.SkipStale))
	e.drain(t, false)
	require.NoError(t, e.complete.Run(t.Context(), ref))
	require.Equal(t, want, e.results(t, ref))
	require.Equal(t, []string{`A Apples 1.50 draft {"a": 1}`, "B Pear 2.00 draft"}, e.products(t))
}

// rows returns all rows of the shop's products.
func (e *engine) productRows(t *testing.T) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, e.Database, `SELECT array_agg(p::text ORDER BY id) FROM app.products AS p`)
}

// A plan shows what an import does, and writes that; a row that has changed meanwhile is stale. An
// undo restores every row.
func TestDeclaredPlanIsAppliedAndUndone(t *testing.T) {
	t.Parallel()
	whole := setupDeclared(t, 100, shop, productDeclaration)
	want := whole.results(t, whole.importFile(t, "PRODUCT", productFile, false, declaredJob(rowwrite.Upsert)))
	for _, chunkRows := range []int{1, 3, 100} {
		for _, backwards := range []bool{false, true} {
			e := setupDeclared(t, chunkRows, shop, productDeclaration)
			e.Exec(t, `GRANT DELETE ON app.products TO loadbay_app`)
			before := e.productRows(t)
			ref := e.plan(t, "PRODUCT", productFile, func(j *job.Job) { j.TypeVersion = 1 })
			e.drain(t, backwards)
			e.awaitApproval(t, ref)
			require.Equal(t, before, e.productRows(t))
			require.Equal(t, want, e.results(t, ref))
			require.Len(t, e.plannedChanges(t, ref), 5)
			e.Exec(t, `UPDATE app.products SET price = 9 WHERE sku = 'B'`)
			require.NoError(t, e.approve(t, ref, job.SkipStale))
			e.drain(t, !backwards)
			require.NoError(t, e.complete.Run(t.Context(), ref))
			require.Equal(t, []string{`A Apples 1.75 draft {"a": 1}`, "B Pears 9.00 live", "C Cherries 3.00 live", "D Date 2.00 draft", "E Elderberry 1.00 draft"}, e.products(t), "the price is not the plan's")
			require.Equal(t, want, e.results(t, ref))

			undone := e.undo(t, ref, rules.Safe)
			for _, row := range e.results(t, undone) {
				require.Contains(t, row, "UNDONE")
			}
			e.Exec(t, `UPDATE app.products SET price = 2 WHERE sku = 'B'`)
			require.Equal(t, before, e.productRows(t))
			e.undo(t, undone, rules.Safe)
			require.Equal(t, []string{`A Apples 1.75 draft {"a": 1}`, "B Pears 2.00 live", "C Cherries 3.00 live", "D Date 2.00 draft", "E Elderberry 1.00 draft"}, e.products(t), "the undo was undone")
		}
	}
}

// Rows of another program that appear while a chunk is written, with a key that no index guarantees, are
// reported after the commit. Here a trigger takes the program's place.
func TestDeclaredKeysThatDoubleMeanwhileAreReported(t *testing.T) {
	t.Parallel()
	const ddl = shop + `;
		ALTER TABLE app.products DROP CONSTRAINT products_sku;
		CREATE FUNCTION app.double() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF pg_trigger_depth() = 1 AND new.sku IN ('C', 'D') THEN INSERT INTO app.products (sku, "Full name") VALUES (new.sku, 'Another'); END IF;
			RETURN NULL;
		END $$;
		CREATE TRIGGER double AFTER INSERT ON app.products FOR EACH ROW EXECUTE FUNCTION app.double()`
	e := setupDeclared(t, 3, ddl, strings.Replace(productDeclaration, "index: products_sku", "index: none", 1))
	ref := e.importFile(t, "PRODUCT", "SKU,Name\nC,Cherry\nA,Apples\nE,Elder\nD,D\nE,Elderberry\nD,Date\n", false, declaredJob(rowwrite.Upsert))
	require.Equal(t, []string{
		"2 CREATED SKU KEY_AMBIGUOUS", "3 UPDATED", "4 CREATED  ROW_SUPERSEDED", "5 CREATED  ROW_SUPERSEDED SKU KEY_AMBIGUOUS", "6 UPDATED", "7 UPDATED SKU KEY_AMBIGUOUS",
	}, e.results(t, ref))
	planned := setupDeclared(t, 2, ddl, strings.Replace(productDeclaration, "index: products_sku", "index: none", 1))
	plan := planned.plan(t, "PRODUCT", "SKU,Name\nC,Cherry\nA,Apples\nE,Elder\nD,D\nD,Date\n", func(j *job.Job) { j.TypeVersion = 1 })
	planned.drain(t, false)
	planned.awaitApproval(t, plan)
	require.NoError(t, planned.approve(t, plan, job.SkipStale))
	planned.drain(t, false)
	require.NoError(t, planned.complete.Run(t.Context(), plan))
	require.Equal(t, []string{"2 CREATED SKU KEY_AMBIGUOUS", "3 UPDATED", "4 CREATED", "5 CREATED  ROW_SUPERSEDED", "6 UPDATED SKU KEY_AMBIGUOUS"}, planned.results(t, plan))

	again := e.importFile(t, "PRODUCT", "SKU,Name\nC,Cherries\nE,Elder\n", false, declaredJob(rowwrite.Upsert))
	require.Equal(t, []string{"2 ERROR SKU KEY_AMBIGUOUS", "3 UPDATED"}, e.results(t, again))
}

// codedProducts are products with a code, which has an index, and another key, which has none.
const codedProducts = shop + `;
	ALTER TABLE app.products DROP CONSTRAINT products_sku, ADD COLUMN code integer CONSTRAINT products_code UNIQUE;
	UPDATE app.products SET code = id; GRANT DELETE ON app.products TO loadbay_app`

func codedDeclaration() string {
	return strings.NewReplacer("keys: [{name: sku, fields: [SKU], index: products_sku}]", "keys: [{name: code, fields: [CODE], index: products_code}, {name: sku, fields: [SKU], index: none}]",
		"fields:\n  -", "fields:\n  - {name: CODE, column: code}\n  -").Replace(productDeclaration)
}

// An update of a plan whose key another program has used meanwhile is stale, although no index refuses it.
func TestDeclaredPlanUpdatesNoKeyThatIsTaken(t *testing.T) {
	t.Parallel()
	for _, chunkRows := range []int{1, 100} {
		e := setupDeclared(t, chunkRows, codedProducts, codedDeclaration())
		ref := e.plan(t, "PRODUCT", "Code,SKU,Name\n1,C,Apple\n2,D,Pear\n", func(j *job.Job) { j.TypeVersion = 1 })
		e.drain(t, false)
		e.awaitApproval(t, ref)
		e.Exec(t, `INSERT INTO app.products (sku, "Full name") VALUES ('C', 'Cherry')`)
		require.NoError(t, e.approve(t, ref, job.SkipStale))
		e.drain(t, false)
		require.NoError(t, e.complete.Run(t.Context(), ref))
		require.Equal(t, []string{"2 SKIPPED  PLAN_STALE", "3 UPDATED"}, e.results(t, ref))
		require.Equal(t, []string{`A Apple 1.50 draft {"a": 1}`, "C Cherry draft", "D Pear 2.00 draft"}, e.products(t))
	}
}

// An undo restores no key that another program has used meanwhile, although no index refuses it.
func TestDeclaredUndoRestoresNoKeyThatIsTaken(t *testing.T) {
	t.Parallel()
	e := setupDeclared(t, 100, codedProducts, codedDeclaration())
	ref := e.importFile(t, "PRODUCT", "Code,SKU,Name,Price\n1,C,Apples,\n2,D,Pears,\n", false, declaredJob(rowwrite.Upsert))
	require.Equal(t, []string{"2 UPDATED", "3 UPDATED"}, e.results(t, ref))
	e.Exec(t, `INSERT INTO app.products (sku, "Full name") VALUES ('A', 'Apricot')`)
	require.Equal(t, []string{"1 UNDONE", "2 KEPT_KEY_TAKEN SKU KEPT_KEY_TAKEN"}, e.results(t, e.undo(t, ref, rules.Safe)))
	require.Equal(t, []string{"A Apricot draft", "B Pear 2.00 draft", `C Apple 1.50 draft {"a": 1}`}, e.products(t))
}

// Rows of a partitioned table are written, planned and undone by their identity: rows of different
// partitions have the same place, and RETURNING has no system columns.
func TestDeclaredPartitionedTable(t *testing.T) {
	t.Parallel()
	const table = `
		CREATE SCHEMA app;
		CREATE TABLE app.payments (id uuid, at date, amount numeric(6,2), PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
		CREATE TABLE app.payments_1 PARTITION OF app.payments FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
		CREATE TABLE app.payments_2 PARTITION OF app.payments FOR VALUES FROM ('2021-01-01') TO ('2022-01-01');
		INSERT INTO app.payments VALUES ('00000000-0000-4000-8000-000000000001', '2020-02-02', 1), ('00000000-0000-4000-8000-000000000001', '2021-02-02', 2);
		GRANT USAGE ON SCHEMA app TO loadbay_app;
		GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA app TO loadbay_app`
	const source = `
loadbay: type/1
name: PAYMENT
title: Payments
target: {table: app.payments}
tenant: {none: true}
identity: [id, at]
keys: [{name: id, fields: [ID, AT], index: payments_pkey}]
fields:
  - {name: ID, column: id, required: true}
  - {name: AT, column: at, title: Date, required: true}
  - {name: AMOUNT, column: amount}
`
	const id = "00000000-0000-4000-8000-00000000000"
	const file = "Id,Date,Amount\n" + id + "1,2020-02-02,5\n" + id + "2,2020-03-03,3\n" + id + "2,2021-03-03,4\n" + id + "3,2030-01-01,4\n"
	rows := func(e *engine) string {
		return postgrestest.Query[string](t, e.Database, `SELECT string_agg(concat(right(id::text, 1), at, ' ', amount), ', ' ORDER BY id, at) FROM app.payments`)
	}
	e := setupDeclared(t, 100, table, source)
	before := rows(e)
	ref := e.importFile(t, "PAYMENT", file, false, declaredJob(rowwrite.Upsert))
	results := e.results(t, ref)
	require.Equal(t, []string{"2 UPDATED", "3 CREATED", "4 CREATED"}, results[:3])
	require.Contains(t, results[3], "5 ERROR", "no partition")
	require.Equal(t, "12020-02-02 5.00, 12021-02-02 2.00, 22020-03-03 3.00, 22021-03-03 4.00", rows(e))
	e.undo(t, ref, rules.Safe)
	require.Equal(t, before, rows(e))
}

// Names of columns do not clash with those of statements.
func TestDeclaredTableWithAnyNames(t *testing.T) {
	t.Parallel()
	const table = `
		CREATE SCHEMA app;
		CREATE TABLE app."Select" ("row" integer, id text, v text, e text, place integer, line integer, hash text, "fresh" text, PRIMARY KEY ("row", id));
		INSERT INTO app."Select" VALUES (1, 'a', 'old', 'e', 1, 1, 'h', 'f');
		GRANT USAGE ON SCHEMA app TO loadbay_app;
		GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA app TO loadbay_app`
	const source = `
loadbay: type/1
name: ODD
title: Odd
target: {table: app.Select}
tenant: {none: true}
identity: ["row", id]
keys: [{name: id, fields: [ROW, ID], index: Select_pkey}]
fields:
  - {name: ROW, column: row}
  - {name: ID, column: id}
  - {name: V, column: v}
  - {name: E, column: e}
  - {name: PLACE, column: place}
  - {name: LINE, column: line}
  - {name: HASH, column: hash}
  - {name: FRESH, column: fresh}
`
	const before = "(1,a,old,e,1,1,h,f)"
	rows := func(e *engine) string {
		return postgrestest.Query[string](t, e.Database, `SELECT string_agg(s::text, ' ' ORDER BY s) FROM app."Select" AS s`)
	}
	e := setupDeclared(t, 2, table, source)
	ref := e.plan(t, "ODD", "Row,Id,V,E,Place,Line,Hash,Fresh\n1,a,new,x,2,3,y,z\n1,b,v,e,1,1,h,f\n2,a,v,e,1,1,h,f\n", func(j *job.Job) { j.TypeVersion = 1 })
	e.drain(t, false)
	e.awaitApproval(t, ref)
	require.NoError(t, e.approve(t, ref, job.SkipStale))
	e.drain(t, false)
	require.NoError(t, e.complete.Run(t.Context(), ref))
	require.Equal(t, []string{"2 UPDATED", "3 CREATED", "4 CREATED"}, e.results(t, ref))
	require.Equal(t, "(1,a,new,x,2,3,y,z) (1,b,v,e,1,1,h,f) (2,a,v,e,1,1,h,f)", rows(e))
	undone := e.undo(t, ref, rules.Safe)
	require.Equal(t, before, rows(e))
	e.undo(t, undone, rules.Safe)
	require.Equal(t, "(1,a,new,x,2,3,y,z) (1,b,v,e,1,1,h,f) (2,a,v,e,1,1,h,f)", rows(e))
}

// Rows are stale if others have changed their values or keys since the plan.
func TestDeclaredPlanFindsStaleRows(t *testing.T) {
	t.Parallel()
	e := setupDeclared(t, 2, shop, productDeclaration)
	ref := e.plan(t, "PRODUCT", "SKU,Name\nA,Apples\nB,Pears\nC,Cherry\nD,Date\n", func(j *job.Job) { j.TypeVersion = 1 })
	e.drain(t, false)
	e.awaitApproval(t, ref)
	e.Exec(t, `UPDATE app.products SET "Full name" = 'Other' WHERE sku = 'A'; INSERT INTO app.products (sku, "Full name") VALUES ('D', 'Dated')`)
	require.NoError(t, e.approve(t, ref, job.SkipStale))
	e.drain(t, false)
	require.NoError(t, e.complete.Run(t.Context(), ref))
	require.Equal(t, []string{"2 SKIPPED  PLAN_STALE", "3 UPDATED", "4 CREATED", "5 SKIPPED  PLAN_STALE"}, e.results(t, ref))
	require.Equal(t, []string{`A Other 1.50 draft {"a": 1}`, "B Pears 2.00 draft", "C Cherry draft", "D Dated draft"}, e.products(t))
}

// Rows whose keys follow from computed columns are stale if others have the keys by now, and the other
// rows are written.
func TestDeclaredPlanFindsHoldersOfComputedKeys(t *testing.T) {
	t.Parallel()
	for name, index := range map[string]string{
		"column":     `CREATE UNIQUE INDEX ON app.products (slug)`,
		"expression": `CREATE UNIQUE INDEX ON app.products (upper(slug), place)`,
		"unreadable": `ALTER TABLE app.products ADD secret text NOT NULL DEFAULT 'x'; CREATE UNIQUE INDEX ON app.products (lower(secret || slug)); REVOKE SELECT ON app.products FROM loadbay_app; GRANT SELECT (id, sku, "Full name", price, status, document, updated_at, slug, place) ON app.products TO loadbay_app`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setupDeclared(t, 4, shop+`; ALTER TABLE app.products ADD place integer NOT NULL DEFAULT 1, ADD slug text GENERATED ALWAYS AS (lower("Full name")) STORED; `+index, productDeclaration)
			ref := e.plan(t, "PRODUCT", "SKU,Name\nA,Apples\nC,Cherry\nD,Date\nE,Elder\n", func(j *job.Job) { j.TypeVersion = 1 })
			e.drain(t, false)
			e.awaitApproval(t, ref)
			e.Exec(t, `INSERT INTO app.products (sku, "Full name") VALUES ('X', 'DATE'), ('E', 'Elm')`)
			require.NoError(t, e.approve(t, ref, job.SkipStale))
			e.drain(t, false)
			require.NoError(t, e.complete.Run(t.Context(), ref))
			require.Equal(t, []string{"2 UPDATED", "3 CREATED", "4 SKIPPED  PLAN_STALE", "5 SKIPPED  PLAN_STALE"}, e.results(t, ref))
		})
	}
}

// A chunk does not wait for a lock of the table's owner until its function's time is over. It is retried,
// as after other outages of the database, and so is an undo.
func TestDeclaredChunkWaitsBrieflyForOwnersLock(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"ACCESS EXCLUSIVE", "SHARE"} { // as ALTER TABLE and CREATE INDEX take them
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			e := setupDeclared(t, 100, shop, productDeclaration)
			e.Exec(t, `GRANT DELETE ON app.products TO loadbay_app`)
			owner, err := pgx.Connect(t.Context(), e.AdminURL)
			require.NoError(t, err)
			defer func() { _ = owner.Close(context.Background()) }()
			locked := func(run func() error) {
				tx, err := owner.Begin(t.Context())
				require.NoError(t, err)
				_, err = tx.Exec(t.Context(), `LOCK TABLE app.products IN `+mode+` MODE`)
				require.NoError(t, err)
				began := time.Now()
				err = run()
				require.True(t, outage.Locked(err), "%v", err)
				require.Less(t, time.Since(began), 20*time.Second)
				require.NoError(t, tx.Rollback(t.Context()))
			}
			ref := e.create(t, "PRODUCT", "products.csv", "SKU,Name\nA,Apples\nC,Cherry\n", declaredJob(rowwrite.Upsert))
			e.prepare(t, ref)
			locked(func() error { return e.process.Run(t.Context(), e.queued[0]) })
			require.NoError(t, e.process.Run(t.Context(), e.queued[0]))
			e.queued = nil
			require.NoError(t, e.complete.Run(t.Context(), ref))
			require.Equal(t, []string{"2 UPDATED", "3 CREATED"}, e.results(t, ref))
			undo, err := e.requestUndo(t, ref, rules.Safe, false)
			require.NoError(t, err)
			_, err = e.analyze.Run(t.Context(), undo)
			require.NoError(t, err)
			locked(func() error { _, err := e.undoStep().Run(t.Context(), undo); return err })
			_, err = e.undoStep().Run(t.Context(), undo)
			require.NoError(t, err)
			require.Equal(t, []string{`A Apple 1.50 draft {"a": 1}`, "B Pear 2.00 draft"}, e.products(t))
		})
	}
}

const noteTable = `
	CREATE SCHEMA app;
	CREATE TABLE app.notes (
		id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		tenant bigint NOT NULL DEFAULT current_setting('app.tenant_id')::bigint,
		code text NOT NULL,
		body text,
		CONSTRAINT notes_code UNIQUE (tenant, code)
	);
	ALTER TABLE app.notes ENABLE ROW LEVEL SECURITY;
	CREATE POLICY own ON app.notes USING (tenant = current_setting('app.tenant_id')::bigint);
	INSERT INTO app.notes (tenant, code, body) VALUES (2, 'A', 'of another tenant');
	GRANT USAGE ON SCHEMA app TO loadbay_app;
	GRANT SELECT, INSERT, UPDATE, DELETE ON app.notes TO loadbay_app`

const noteDeclaration = `
loadbay: type/1
name: NOTE
title: Notes
target: {table: app.notes}
tenant: {session: {app.tenant_id: organisation}}
identity: [id]
keys: [{name: code, fields: [CODE], index: none}]
fields:
  - {name: CODE, column: code, required: true, identifying: true}
  - {name: BODY, column: body}
`

// Every transaction about the table sets what its policies read, and connections keep nothing of it.
func TestDeclaredTenantsBySettingsOfTheSession(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"settings alone":      noteDeclaration,
		"settings and column": strings.NewReplacer("{session:", "{column: tenant, value: organisation, session:", "index: none", "index: notes_code").Replace(noteDeclaration),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setupDeclared(t, 2, noteTable, source)
			stored := func() []string {
				return postgrestest.Query[[]string](t, e.Database, `SELECT array_agg(concat_ws(' ', tenant, code, body) ORDER BY tenant, code) FROM app.notes`)
			}
			ref := e.importFile(t, "NOTE", "Code,Body\nA,one\nB,two\nC,three\n", false, declaredJob(rowwrite.Upsert))
			require.Equal(t, []string{"2 CREATED", "3 CREATED", "4 CREATED"}, e.results(t, ref))
			again := e.importFile(t, "NOTE", "Code,Body\nA,uno\nB,two\n", false, declaredJob(rowwrite.Upsert))
			require.Equal(t, []string{"2 UPDATED", "3 UNCHANGED"}, e.results(t, again))
			plan := e.plan(t, "NOTE", "Code,Body\nA,eins\nD,vier\n", func(j *job.Job) { j.TypeVersion = 1 })
			e.drain(t, false)
			e.awaitApproval(t, plan)
			require.NoError(t, e.approve(t, plan, job.SkipStale))
			e.drain(t, false)
			require.NoError(t, e.complete.Run(t.Context(), plan))
			require.Equal(t, []string{"2 UPDATED", "3 CREATED"}, e.results(t, plan))
			require.Equal(t, []string{"1 A eins", "1 B two", "1 C three", "1 D vier", "2 A of another tenant"}, stored())
			for _, of := range []job.Ref{plan, again, ref} {
				for _, row := range e.results(t, e.undo(t, of, rules.Safe)) {
					require.Contains(t, row, "UNDONE")
				}
			}
			require.Equal(t, []string{"2 A of another tenant"}, stored())
			require.NoError(t, e.DB.AcrossOrganisations(t.Context(), func(tx pgx.Tx) error {
				var left string
				err := tx.QueryRow(t.Context(), `SELECT coalesce(current_setting('app.tenant_id', true), '')`).Scan(&left)
				require.Empty(t, left)
				return err
			}))
		})
	}
}

// An undo deletes nothing that rows of other tables refer to, even where they would vanish too, and
// nothing that the role may not delete.
func TestDeclaredUndoKeepsReferencedRows(t *testing.T) {
	t.Parallel()
	e := setupDeclared(t, 100, shop, productDeclaration)
	ref := e.importFile(t, "PRODUCT", "SKU,Name\nA,Apples\nC,Cherry\nD,Date\n", false, declaredJob(rowwrite.Upsert))
	e.Exec(t, `INSERT INTO app.orders SELECT 1, id FROM app.products WHERE sku = 'C'`)
	undone := e.undo(t, ref, rules.Safe)
	require.Equal(t, []string{"1 KEPT_LATER_EDIT  KEPT_LATER_EDIT", "2 KEPT_REFERENCED  KEPT_REFERENCED", "3 UNDONE"}, e.results(t, undone))

	e.Exec(t, `GRANT DELETE ON app.products TO loadbay_app; REVOKE SELECT ON app.orders FROM loadbay_app`)
	ref = e.importFile(t, "PRODUCT", "SKU,Name\nF,Fig\n", false, declaredJob(rowwrite.Upsert))
	require.Equal(t, []string{"1 KEPT_REFERENCED  KEPT_REFERENCED"}, e.results(t, e.undo(t, ref, rules.Safe)), "orders may exist that the role cannot read")
	require.Equal(t, 1, postgrestest.Query[int](t, e.Database, `SELECT count(*)::int FROM app.orders`))
}

// Chunks that are processed at the same time, and delivered twice, have the effect of one import.
func TestDeclaredChunksRunConcurrentlyAndTwice(t *testing.T) {
	t.Parallel()
	for _, index := range []string{"products_sku", declared.NoIndex} {
		source := strings.Replace(productDeclaration, "index: products_sku", "index: "+index, 1)
		whole := setupDeclared(t, 100, shop, source)
		ref := whole.importFile(t, "PRODUCT", productFile, false, declaredJob(rowwrite.Upsert))
		results, rows := whole.results(t, ref), whole.products(t)
		e := setupDeclared(t, 2, shop, source)
		ref = e.create(t, "PRODUCT", "file.csv", productFile, declaredJob(rowwrite.Upsert))
		e.prepare(t, ref)
		var group sync.WaitGroup
		for _, chunk := range slices.Concat(e.queued, e.queued) {
			group.Go(func() {
				var err error
				for range 5 { // like the queue
					if err = e.process.Run(context.WithoutCancel(t.Context()), chunk); err == nil {
						return
					}
				}
				t.Error(err)
			})
		}
		group.Wait()
		require.NoError(t, e.complete.Run(t.Context(), ref))
		require.Equal(t, results, e.results(t, ref), "index: %s", index)
		require.Equal(t, rows, e.products(t))
		require.True(t, e.job(t, ref).Progress.Reconciles())
	}
}
