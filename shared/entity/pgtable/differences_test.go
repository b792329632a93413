package pgtable_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/pgtable"
)

func TestDifferencesAreThoseOfTheFingerprint(t *testing.T) {
	t.Parallel()
	tx := setup(t)
	exec(t, tx, `SET LOCAL search_path = "Our shop", public`)
	adopted := read(t, tx, "Order")
	stamp := func() string {
		found, err := pgtable.Stamp(t.Context(), tx, schema, "Order")
		require.NoError(t, err)
		return found
	}
	differences := func(ddl string) []pgtable.Difference {
		before := stamp()
		exec(t, tx, "SAVEPOINT ddl")
		exec(t, tx, ddl)
		now := read(t, tx, "Order")
		found := pgtable.Differences(adopted, now)
		require.Equal(t, len(found) == 0, adopted.Fingerprint() == now.Fingerprint(), ddl)
		require.True(t, len(found) == 0 || before != stamp(), "%s: the stamp is the same", ddl)
		exec(t, tx, "ROLLBACK TO ddl")
		require.Equal(t, before, stamp())
		return found
	}
	for ddl, want := range map[string]pgtable.Difference{
		`ADD note text`:                      {Category: pgtable.ColumnAdded, Column: "note", Message: `Column "note" was added.`},
		`ADD note text NOT NULL DEFAULT ''`:  {Category: pgtable.ColumnAdded, Column: "note", Message: `Column "note" was added.`},
		`ADD note text NOT NULL`:             {Category: pgtable.ColumnRequired, Column: "note", Message: `Column "note" was added.`},
		`ALTER numeric SET NOT NULL`:         {Category: pgtable.ColumnRequired, Column: "numeric", Message: `Presence of column "numeric" changed from optional to required.`},
		`ALTER status DROP DEFAULT`:          {Category: pgtable.ColumnRequired, Column: "status", Message: `Presence of column "status" changed from not NULL to required.`},
		`ALTER amount DROP NOT NULL`:         {Category: pgtable.CheckChanged, Column: "amount", Message: `Presence of column "amount" changed from required to optional.`},
		`DROP real`:                          {Category: pgtable.ColumnGone, Column: "real", Message: `Column "real" was removed.`},
		`RENAME real TO "Real"`:              {Category: pgtable.ColumnGone, Column: "real", Message: `Column "real" was removed, or renamed to "Real".`},
		`ALTER thousands TYPE numeric(2,-3)`: {Category: pgtable.TypeChanged, Column: "thousands", Message: `Type of column "thousands" changed from numeric(3,-3) to numeric(2,-3).`},
		`ALTER c_locale TYPE text`:           {Category: pgtable.TypeChanged, Column: "c_locale", Message: `Type of column "c_locale" changed from text COLLATE "C" to text.`},
		`DROP CONSTRAINT number_key`:         {Category: pgtable.KeyChanged, Name: "number_key", Message: `Unique index "number_key" was removed.`},
		`ADD UNIQUE (day)`:                   {Category: pgtable.KeyChanged, Name: "Order_day_key", Message: `Unique index "Order_day_key" was added.`},
		`DISABLE ROW LEVEL SECURITY`:         {Category: pgtable.KeyChanged, Message: `Row level security changed from enabled to off.`},
		`DROP CONSTRAINT "amount is positive"`: {
			Category: pgtable.CheckChanged, Name: "amount is positive", Message: `Constraint "amount is positive" was removed.`,
		},
		`DROP CONSTRAINT "group"`:    {Category: pgtable.CheckChanged, Name: "group", Message: `Constraint "group" was removed.`},
		`ENABLE TRIGGER idle`:        {Category: pgtable.CheckChanged, Name: "idle", Message: `Trigger "idle" was added.`},
		`DROP CONSTRAINT no_overlap`: {Category: pgtable.CheckChanged, Name: "no_overlap", Message: `Constraint "no_overlap" was removed.`},
	} {
		require.Equal(t, []pgtable.Difference{want}, differences(`ALTER TABLE "Order" `+ddl), ddl)
	}
	for ddl, want := range map[string]pgtable.Category{
		`ALTER TYPE status ADD VALUE 'x'`:                                                                  pgtable.CheckChanged,
		`ALTER TYPE status RENAME VALUE 'new' TO 'y'`:                                                      pgtable.TypeChanged,
		`ALTER DOMAIN year ADD CHECK (VALUE <> 2020)`:                                                      pgtable.CheckChanged,
		`ALTER POLICY own ON "Order" USING (true)`:                                                         pgtable.KeyChanged,
		`ALTER INDEX email_live RENAME TO email_index`:                                                     pgtable.KeyChanged,
		`ALTER TABLE "Group" RENAME TO "Groups"`:                                                           pgtable.CheckChanged,
		`ALTER FUNCTION touch() RENAME TO touches`:                                                         pgtable.CheckChanged,
		`CREATE RULE n AS ON INSERT TO "Order" DO ALSO NOTHING`:                                            pgtable.KeyChanged,
		`DROP INDEX email_live; CREATE UNIQUE INDEX email_live ON "Order" (tenant, lower("E-Mail ""x"""))`: pgtable.KeyChanged,
	} {
		found := differences(ddl)
		require.NotEmpty(t, found, ddl)
		for _, d := range found {
			require.Contains(t, []pgtable.Category{want, pgtable.CheckChanged}, d.Category, ddl)
		}
	}
	for _, ddl := range []string{
		`COMMENT ON TABLE "Order" IS 'other'`,
		`GRANT DELETE ON "Order" TO loadbay_app`,
		`CREATE INDEX ON "Order" (day)`,
		`ALTER TABLE "Order" ALTER uuid SET DEFAULT NULL, ALTER updated_at SET DEFAULT clock_timestamp(), ALTER text SET STATISTICS 5`,
		`CREATE TABLE other (order_id bigint REFERENCES "Order")`,
		`CREATE OR REPLACE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'`,
		`SET LOCAL search_path = public`,
	} {
		require.Empty(t, differences(ddl), ddl)
	}
}

func TestNewPartitionIsNoDifference(t *testing.T) {
	t.Parallel()
	tx := setup(t)
	before := read(t, tx, "payment").Fingerprint()
	exec(t, tx, `CREATE TABLE "Our shop".payment_2022 PARTITION OF "Our shop".payment FOR VALUES FROM ('2022-01-01') TO ('2023-01-01')`)
	require.Equal(t, before, read(t, tx, "payment").Fingerprint())
}
