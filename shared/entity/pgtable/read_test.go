package pgtable_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/pgtable"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

const schema = "Our shop"

// setup returns a transaction of the superuser in a database with testdata/tables.sql.
func setup(t testing.TB) pgx.Tx {
	t.Helper()
	d := postgrestest.Setup(t)
	sql, err := os.ReadFile("testdata/tables.sql")
	require.NoError(t, err)
	conn, err := pgx.Connect(context.Background(), d.AdminURL)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close(context.Background()) })
	_, err = conn.Exec(context.Background(), string(sql))
	require.NoError(t, err)
	tx, err := conn.Begin(context.Background())
	require.NoError(t, err)
	return tx
}

func exec(t testing.TB, tx pgx.Tx, sql string) {
	t.Helper()
	_, err := tx.Exec(context.Background(), sql)
	require.NoError(t, err, sql)
}

func read(t testing.TB, tx pgx.Tx, name string) *pgtable.Table {
	t.Helper()
	table, err := pgtable.Read(context.Background(), tx, schema, name)
	require.NoError(t, err)
	return table
}

func TestColumnsAreDescribed(t *testing.T) {
	t.Parallel()
	tx := setup(t)
	table := read(t, tx, "Order")
	require.Equal(t, "Orders of customers", table.Comment)
	require.Equal(t, pgtable.TableKind, table.Kind)
	yes := pgtable.Column{Fraction: -1, Deterministic: true, Hashable: true, Comparable: true, Insert: true, Update: true, Select: true, TypeKind: "b"}
	column := func(kind string, change func(*pgtable.Column)) pgtable.Column {
		c := yes
		c.Type, c.Base = kind, kind
		if change != nil {
			change(&c)
		}
		return c
	}
	for name, want := range map[string]pgtable.Column{
		"id":       column("bigint", func(c *pgtable.Column) { c.NotNull, c.Identity = true, "always" }),
		"other_id": column("integer", func(c *pgtable.Column) { c.NotNull, c.Identity = true, "by default" }),
		"serial_id": column("integer", func(c *pgtable.Column) {
			c.NotNull, c.Sequence, c.SequenceUsage = true, `"Our shop"."Order_serial_id_seq"`, true
			c.Default = `nextval('"Our shop"."Order_serial_id_seq"'::regclass)`
		}),
		"number": column("integer", func(c *pgtable.Column) {
			c.NotNull, c.Sequence, c.SequenceUsage = true, `"Our shop".numbers`, true
			c.Default = `nextval('"Our shop".numbers'::regclass)`
		}),
		`E-Mail "x"`: column("character varying", func(c *pgtable.Column) { c.NotNull, c.Type, c.MaxLength = true, "character varying(80)", 80 }),
		"uuid":       column("uuid", func(c *pgtable.Column) { c.Default = "gen_random_uuid()" }),
		"citext":     column("public.citext", func(c *pgtable.Column) { c.Deterministic = false }),
		"char4":      column("character", func(c *pgtable.Column) { c.Type, c.MaxLength, c.Deterministic = "character(4)", 4, false }),
		"loose":      column("text", func(c *pgtable.Column) { c.Collation, c.Deterministic = `"Our shop".loose`, false }),
		"c_locale":   column("text", func(c *pgtable.Column) { c.Collation = `"C"` }),
		"amount": column("numeric", func(c *pgtable.Column) {
			c.NotNull, c.Type, c.Precision, c.Scale, c.Comment = true, "numeric(12,2)", 12, 2, "in euros"
		}),
		"thousands": column("numeric", func(c *pgtable.Column) { c.Type, c.Precision, c.Scale = "numeric(3,-3)", 3, -3 }),
		"at": column("timestamp with time zone", func(c *pgtable.Column) {
			c.Type, c.Fraction = "timestamp(0) with time zone", 0
			c.Default = "'2019-12-31 22:00:00+00'::timestamp with time zone"
		}),
		"time": column("time without time zone", func(c *pgtable.Column) { c.Type, c.Fraction = "time(3) without time zone", 3 }),
		"status": column(`"Our shop".status`, func(c *pgtable.Column) {
			c.NotNull, c.TypeKind, c.Labels, c.Default = true, "e", []string{"new", "in use", "don't"}, `'new'::"Our shop".status`
		}),
		"statuses": column(`"Our shop".status[]`, func(c *pgtable.Column) {
			c.Labels, c.Element = []string{"new", "in use", "don't"}, `"Our shop".status`
		}),
		"tags": column("text[]", func(c *pgtable.Column) { c.Element = "text" }),
		"short_tags": column("character varying[]", func(c *pgtable.Column) {
			c.Type, c.Element, c.MaxLength = "character varying(10)[]", "character varying", 10
		}),
		"json":       column("json", func(c *pgtable.Column) { c.Hashable, c.Comparable = false, false }),
		"jsonb":      column("jsonb", nil),
		"xml":        column("xml", func(c *pgtable.Column) { c.Hashable, c.Comparable = false, false }),
		"point":      column("point", func(c *pgtable.Column) { c.Hashable, c.Comparable = false, false }),
		"tsvector":   column("tsvector", func(c *pgtable.Column) { c.Hashable = false }),
		"range":      column("int4range", func(c *pgtable.Column) { c.TypeKind = "r" }),
		"text_range": column(`"Our shop".textrange`, func(c *pgtable.Column) { c.TypeKind = "r" }),
		"ranges":     column("datemultirange", func(c *pgtable.Column) { c.TypeKind = "m" }),
		"year": column("integer", func(c *pgtable.Column) {
			c.Type, c.Domain = `"Our shop".year`, `"Our shop".year`
			c.DomainChecks = []pgtable.Check{{Name: "year_check", Expression: "((VALUE >= 1901) AND (VALUE <= 2155))", Validated: true}}
		}),
		"recent_year": column("integer", func(c *pgtable.Column) {
			c.Type, c.Domain, c.NotNull, c.Default = `"Our shop".recent_year`, `"Our shop".recent_year`, true, "2000"
			c.DomainChecks = []pgtable.Check{
				{Name: "recent", Expression: "((VALUE)::integer > 1999)", Validated: true},
				{Name: "year_check", Expression: "((VALUE >= 1901) AND (VALUE <= 2155))", Validated: true},
			}
		}),
		"size": column("character varying", func(c *pgtable.Column) {
			c.Type, c.MaxLength, c.Words = "character varying(9)", 9, []string{"S", "M"}
		}),
		"kind":       column("text", func(c *pgtable.Column) { c.Words = []string{"big", "it's"} }),
		"level":      column("integer", nil),
		"upper_only": column("text", nil),
		"total":      column("numeric", func(c *pgtable.Column) { c.Generated = true }),
	} {
		got := table.Column(name)
		require.NotNil(t, got, name)
		want.Name, want.Number = name, got.Number
		require.Equal(t, want, *got, name)
	}
	require.Equal(t, []string{"a", "b"}, table.Column("code").Words)
	require.Equal(t, 5, table.Column("code").MaxLength)
}

// Hashable and Comparable predict what Postgres does with a row of the column.
func TestHashableAndComparableColumnsAreThoseThatPostgresHashesAndCompares(t *testing.T) {
	t.Parallel()
	tx := setup(t)
	for _, c := range read(t, tx, "Order").Columns {
		for expression, want := range map[string]bool{
			"hash_record_extended(row(x.v), 0)":  c.Hashable,
			"row(x.v) IS DISTINCT FROM row(x.v)": c.Comparable,
		} {
			exec(t, tx, "SAVEPOINT s")
			_, err := tx.Exec(t.Context(), "SELECT "+expression+" FROM (SELECT "+pgx.Identifier{c.Name}.Sanitize()+` AS v FROM "Our shop"."Order" UNION ALL SELECT NULL) AS x`)
			require.Equal(t, want, err == nil, "%s of %s: %v", expression, c.Name, err)
			exec(t, tx, "ROLLBACK TO s")
		}
	}
}

func TestKeysAndConstraintsAreDescribed(t *testing.T) {
	t.Parallel()
	tx := setup(t)
	table := read(t, tx, "Order")
	plain := func(names ...string) (columns []pgtable.IndexColumn) {
		for _, name := range names {
			columns = append(columns, pgtable.IndexColumn{Column: name, Deterministic: true})
		}
		return columns
	}
	require.Equal(t, []pgtable.Index{
		{Name: "Order_pkey", Constraint: true, Primary: true, Columns: plain("id"), NullsDistinct: true},
		{Name: "number_key", Constraint: true, Columns: plain("tenant", "number"), Deferrable: true, NullsDistinct: true},
		{Name: "by_loose", Columns: []pgtable.IndexColumn{{Column: "text", Collation: `"Our shop".loose`}}},
		{
			Name: "email_live", Predicate: "(deleted_at IS NULL)", NullsDistinct: true,
			Columns: append(plain("tenant"), pgtable.IndexColumn{
				Expression: `lower(("E-Mail ""x""")::text)`, Uses: []string{`E-Mail "x"`}, Deterministic: true,
			}),
		},
	}, table.Unique)
	require.Equal(t, []pgtable.Check{
		{Name: "Order_kind_check", Expression: "(kind = ANY (ARRAY['big'::text, 'it''s'::text]))", Columns: []string{"kind"}, Validated: true},
		{Name: "Order_level_check", Expression: "(level = ANY (ARRAY[1, 2]))", Columns: []string{"level"}, Validated: true},
	}, table.Checks[:2])
	require.Equal(t, "amount is positive", table.Checks[4].Name)
	require.Len(t, table.Exclusions, 1)
	require.Equal(t, []pgtable.ForeignKey{{
		Name: "group", Schema: schema, Table: "Group", OnDelete: "SET NULL",
		From: []string{"tenant", "group_code"}, To: []string{"tenant", "code"},
	}}, table.ForeignKeys)
	require.Equal(t, []pgtable.ForeignKey{
		{Name: "line_order_id_fkey", Schema: schema, Table: "line", From: []string{"order_id"}, To: []string{"id"}, OnDelete: "CASCADE"},
		{Name: "payment_order_id_fkey", Schema: schema, Table: "payment", From: []string{"order_id"}, To: []string{"id"}, OnDelete: "NO ACTION"},
	}, table.References)
	require.Len(t, table.Triggers, 2)
	require.False(t, table.Triggers[0].Enabled)
	touch := table.Triggers[1]
	require.Equal(t, "Our shop.touch plpgsql", touch.Function+" "+touch.Language)
	require.True(t, touch.Trusted && touch.Before && touch.Row && touch.Insert && touch.Update && !touch.Delete && touch.Enabled)
	require.Equal(t, []pgtable.Policy{{
		Name: "own", Command: "SELECT", Permissive: true, Roles: []string{"loadbay_app"},
		Using: "(tenant = (current_setting('app.tenant'::text))::integer)",
	}}, table.Policies)
}

func TestKindsOfRelations(t *testing.T) {
	t.Parallel()
	tx := setup(t)
	payment := read(t, tx, "payment")
	require.True(t, payment.Partitioned)
	require.Equal(t, pgtable.TableKind, payment.Kind)
	require.Len(t, payment.ForeignKeys, 1)
	require.Len(t, payment.References, 1)
	require.Len(t, read(t, tx, "refund").ForeignKeys, 1, "Postgres's copies for partitions do not count")
	require.True(t, read(t, tx, "payment_2020").Partition)
	node := read(t, tx, "node")
	require.True(t, node.Inherited)
	require.Equal(t, node.ForeignKeys, node.References)
	require.Equal(t, pgtable.View, read(t, tx, "open_orders").Kind)
	require.Equal(t, pgtable.MaterializedView, read(t, tx, "old_orders").Kind)
	require.Equal(t, []string{"nothing"}, read(t, tx, "ruled").Rules)
	_, err := pgtable.Read(t.Context(), tx, schema, "order")
	require.ErrorIs(t, err, pgtable.ErrNoTable)
	_, err = pgtable.Stamp(t.Context(), tx, schema, "order")
	require.ErrorIs(t, err, pgtable.ErrNoTable)
}

func TestTableIsTheSameAfterJSON(t *testing.T) {
	t.Parallel()
	tx := setup(t)
	table := read(t, tx, "Order")
	text, err := json.Marshal(table)
	require.NoError(t, err)
	var again pgtable.Table
	require.NoError(t, json.Unmarshal(text, &again))
	require.Equal(t, *table, again)
}

// The role of imports has few rights, and settings of its own.
func TestPrivilegesAreThoseOfTheRole(t *testing.T) {
	t.Parallel()
	tx := setup(t)
	admin := read(t, tx, "Order")
	require.True(t, admin.Owned && admin.Delete && admin.Trigger)
	require.False(t, admin.RowSecurity)
	exec(t, tx, `SET LOCAL ROLE loadbay_app; SET LOCAL search_path = "Our shop"; SET LOCAL timezone = 'Asia/Tokyo'; SET LOCAL datestyle = 'German'`)
	table := read(t, tx, "Order")
	require.True(t, table.Usage && table.RowSecurity)
	require.False(t, table.Owned || table.Delete || table.Trigger)
	text, number := table.Column("text"), table.Column("number")
	require.True(t, text.Select && text.Insert && text.Update)
	require.False(t, number.Insert || number.Update || number.SequenceUsage)
	require.Equal(t, admin.Fingerprint(), table.Fingerprint())
	var path string
	require.NoError(t, tx.QueryRow(t.Context(), "SHOW search_path").Scan(&path))
	require.Equal(t, `"Our shop"`, path)
}

func BenchmarkRead(b *testing.B) {
	tx := setup(b)
	for b.Loop() {
		table, err := pgtable.Read(context.Background(), tx, schema, "Order")
		require.NoError(b, err)
		table.Fingerprint()
	}
}

func BenchmarkStamp(b *testing.B) {
	tx := setup(b)
	for b.Loop() {
		_, err := pgtable.Stamp(context.Background(), tx, schema, "Order")
		require.NoError(b, err)
	}
}
