package step_test

import (
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	rules "github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// An import ends before it writes the first chunk that no longer fits the table, and says which column
// or index has changed.
func TestImportEndsIfTableChangesBetweenChunks(t *testing.T) {
	t.Parallel()
	for ddl, want := range map[string]string{
		`ALTER TABLE app.products ADD maker text NOT NULL DEFAULT ''; ALTER TABLE app.products ALTER maker DROP DEFAULT`: `column "maker" was added`,
		`ALTER TABLE app.products DROP document`:                                   `column "document" was removed`,
		`ALTER TABLE app.products RENAME "Full name" TO name`:                      `column "Full name" was removed, or renamed to "name"`,
		`ALTER TABLE app.products ALTER price TYPE numeric(4,1)`:                   `type of column "price" changed from numeric(6,2) to numeric(4,1)`,
		`ALTER TABLE app.products DROP CONSTRAINT positive, ALTER price TYPE text`: `type of column "price" changed from numeric(6,2) to text`,
		`ALTER TABLE app.products DROP CONSTRAINT products_sku`:                    `unique index "products_sku" was removed`,
		`ALTER TABLE app.products ENABLE ROW LEVEL SECURITY`:                       `row level security changed from off to enabled`,
		`ALTER TABLE app.products RENAME TO goods`:                                 "it was removed or renamed",
		`DROP TABLE app.products CASCADE`:                                          "it was removed or renamed",
		`DROP SCHEMA app CASCADE`:                                                  "it was removed or renamed",
		`REVOKE SELECT ON app.products FROM loadbay_app`:                           "Loadbay may not read the table app.products any more",
		`REVOKE INSERT ON app.products FROM loadbay_app`:                           "the role may not write column",
		`ALTER TYPE app.status RENAME VALUE 'draft' TO 'new'`:                      `value "draft" of column "status" was removed`,
		`CREATE RULE quiet AS ON DELETE TO app.products DO INSTEAD NOTHING`:        `rule "quiet" was added`,
		`ALTER TABLE app.products ADD UNIQUE ("Full name")`:                        `unique index "products_Full name_key" was added`,
		`CREATE UNIQUE INDEX fresh ON app.products (lower(sku))`:                   `unique index "fresh" was added`,
		`ALTER INDEX app.products_sku RENAME TO other`:                             `unique index "products_sku" was removed`,
		`ALTER TABLE app.products ALTER price SET NOT NULL`:                        `presence of column "price" changed from optional to required`,
		`CREATE TABLE app.child () INHERITS (app.products)`:                        `table changed from a table to a table that others inherit from`,
		`CREATE POLICY open ON app.products USING (true)`:                          `policy "open" was added`,
		`ALTER TABLE app.products ALTER sku TYPE varchar(8) COLLATE "C"`:           `type of column "sku" changed from character varying(8) to character varying(8) COLLATE "C"`,
		`ALTER TABLE app.products ALTER updated_at TYPE timestamptz(0)`:            `type of column "updated_at" changed`,
		`DROP TABLE app.products CASCADE; CREATE TABLE app.products (id int);`:     "removed",
	} {
		t.Run(ddl, func(t *testing.T) {
			t.Parallel()
			e := setupDeclared(t, 1, shop, productDeclaration)
			ref := e.create(t, "PRODUCT", "products.csv", "SKU,Name\nA,Apples\nC,Cherry\n", declaredJob(rowwrite.Upsert))
			e.prepare(t, ref)
			require.Len(t, e.queued, 2)
			require.NoError(t, e.process.Run(t.Context(), e.queued[0]))
			if strings.Contains(ddl, "DROP TABLE app.products CASCADE; CREATE") {
				ddl += "GRANT SELECT, INSERT, UPDATE ON app.products TO loadbay_app"
			}
			e.Exec(t, ddl)
			require.NoError(t, e.process.Run(t.Context(), e.queued[1]))
			j := e.job(t, ref)
			require.Equal(t, job.Failed, j.Status)
			require.Equal(t, string(problem.TableChanged), j.Failure.Code)
			require.Contains(t, j.Failure.Message, want)
			require.Equal(t, 1, j.Progress.ChunksDone)
		})
	}
}

// Imports continue after the changes that the declaration allows, by default those that need no
// values, with a warning if its reaction is tell.
func TestImportContinuesWithAllowedChanges(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ onDrift, ddl, warning, row string }{
		"column added":     {"", `ALTER TABLE app.products ADD note text DEFAULT 'x'`, "", `C Cherry draft`},
		"new check":        {"", `ALTER TABLE app.products ADD CONSTRAINT cheap CHECK (price < 100)`, `constraint "cheap" was added`, `C Cherry draft`},
		"new trigger":      {"", `CREATE FUNCTION app.upper() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW."Full name" := upper(NEW."Full name"); RETURN NEW; END'; CREATE TRIGGER up BEFORE INSERT OR UPDATE ON app.products FOR EACH ROW EXECUTE FUNCTION app.upper()`, `trigger "up" was added`, `C CHERRY draft`},
		"value added":      {"", `ALTER TYPE app.status ADD VALUE 'gone'`, `value "gone" of column "status" was added`, `C Cherry draft`},
		"no difference":    {"", `COMMENT ON TABLE app.products IS 'x'; GRANT DELETE ON app.products TO loadbay_app; CREATE INDEX ON app.products ("Full name")`, "", `C Cherry draft`},
		"allowed removal":  {"onDrift: {columnGone: ignore}\n", `ALTER TABLE app.products DROP document`, "", `C Cherry draft`},
		"allowed narrower": {"onDrift: {typeChanged: tell}\n", `ALTER TABLE app.products ALTER price TYPE numeric(4,1)`, `type of column "price" changed`, `C Cherry draft`},
		"restored":         {"", `ALTER TABLE app.products RENAME TO goods; ALTER TABLE app.goods RENAME TO products`, "", `C Cherry draft`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setupDeclared(t, 1, shop, productDeclaration+c.onDrift)
			ref := e.create(t, "PRODUCT", "products.csv", "SKU,Name\nA,Apples\nC,Cherry\n", declaredJob(rowwrite.Upsert))
			e.prepare(t, ref)
			require.NoError(t, e.process.Run(t.Context(), e.queued[0]))
			e.Exec(t, c.ddl)
			require.NoError(t, e.process.Run(t.Context(), e.queued[1]))
			e.queued = nil
			require.NoError(t, e.complete.Run(t.Context(), ref))
			created := "3 CREATED"
			if name == "new trigger" {
				created += " NAME CHANGED_BY_TRIGGER"
			}
			require.Equal(t, []string{"2 UPDATED", created}, e.results(t, ref))
			warnings := strings.Join(problem.WarningSentences(e.job(t, ref).WarningCodes), "\n")
			require.Contains(t, warnings, c.warning)
			require.Equal(t, c.warning == "", !strings.Contains(warnings, "has changed"), warnings)
			if name != "allowed removal" {
				require.Contains(t, e.products(t), c.row)
			}
			e.Exec(t, `GRANT DELETE ON app.products TO loadbay_app`)
			for _, row := range e.results(t, e.undo(t, ref, rules.Safe)) {
				require.Contains(t, row, "UNDONE")
			}
		})
	}
}

// A declaration that allows the removal of a column cannot import its values.
func TestAllowedRemovalOfFieldEndsImport(t *testing.T) {
	t.Parallel()
	e := setupDeclared(t, 1, shop, productDeclaration+"onDrift: {columnGone: ignore}\n")
	ref := e.create(t, "PRODUCT", "products.csv", "SKU,Name\nA,Apples\n", declaredJob(rowwrite.Upsert))
	e.prepare(t, ref)
	e.Exec(t, `ALTER TABLE app.products DROP price`)
	e.drain(t, false)
	require.Contains(t, e.job(t, ref).Failure.Message, "has no column price")
}

// A plan writes nothing, and an undo reverts nothing, while the table is another one than before. The
// undo continues when the table is restored.
func TestPlanAndUndoOfChangedTable(t *testing.T) {
	t.Parallel()
	e := setupDeclared(t, 100, shop, productDeclaration)
	before := e.productRows(t)
	ref := e.importFile(t, "PRODUCT", "SKU,Name\nA,Apples\n", false, declaredJob(rowwrite.Upsert))
	imported := e.productRows(t)
	plan := e.plan(t, "PRODUCT", "SKU,Name\nB,Pears\n", func(j *job.Job) { j.TypeVersion = 1 })
	e.drain(t, false)
	e.awaitApproval(t, plan)
	e.Exec(t, `ALTER TABLE app.products RENAME price TO amount`)
	log := slog.New(slog.DiscardHandler)
	approver := review.New(e.DB, e.types, stubTasks{}, telemetry.NewTransitions(log, telemetry.NewMetrics(io.Discard)), log)
	_, err := approver.Apply(t.Context(), plan, review.Approval{Digest: e.job(t, plan).Plan.Digest, OnStale: job.SkipStale, By: "bob"})
	require.Equal(t, problem.TableChanged, problem.CodeOf(err))
	require.NoError(t, e.approve(t, plan, job.SkipStale), "the table has changed after the approval")
	e.drain(t, false)
	require.Equal(t, string(problem.TableChanged), e.job(t, plan).Failure.Code)
	require.Contains(t, e.job(t, plan).Failure.Message, `column "price" was removed, or renamed to "amount"`)
	require.Equal(t, imported, e.productRows(t))

	var undo job.Ref
	undo, err = e.requestUndo(t, ref, rules.Safe, false)
	require.NoError(t, err)
	_, err = e.analyze.Run(t.Context(), undo)
	require.NoError(t, err)
	_, err = e.undoStep().Run(t.Context(), undo)
	require.Equal(t, problem.TableChanged, problem.CodeOf(err))
	require.Equal(t, imported, e.productRows(t))
	e.Exec(t, `ALTER TABLE app.products RENAME amount TO price`)
	_, err = e.undoStep().Run(t.Context(), undo)
	require.NoError(t, err)
	e.Exec(t, `UPDATE app.products SET updated_at = '2026-01-01'`)
	restored := e.products(t)
	require.Equal(t, []string{`A Apple 1.50 draft {"a": 1}`, "B Pear 2.00 draft"}, restored, "%v", before)
}
