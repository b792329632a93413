package adopt_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
	"github.com/loadbay/loadbay/shared/imports/adopt"
	"github.com/loadbay/loadbay/shared/mapping/concept"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

var update = flag.Bool("update", false, "write testdata")

// setup returns a connection to a database with a schema of infra/tests/owntables.
func setup(t *testing.T, schema string) *pgx.Conn {
	t.Helper()
	d := postgrestest.Setup(t)
	sql, err := os.ReadFile("../../../infra/tests/owntables/testdata/" + schema + ".sql")
	require.NoError(t, err)
	conn, err := pgx.Connect(context.Background(), d.AdminURL)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close(context.Background()) })
	_, err = conn.Exec(context.Background(), string(sql))
	require.NoError(t, err)
	return conn
}

// draft drafts the declaration of a table as seen by a role; "" is the superuser.
func draft(t *testing.T, conn *pgx.Conn, role, schema, table string) adopt.Draft {
	t.Helper()
	tx, err := conn.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.Background()) }()
	if role != "" {
		_, err := tx.Exec(t.Context(), "SET LOCAL ROLE "+role)
		require.NoError(t, err)
	}
	source, err := adopt.Read(t.Context(), tx, schema, table, nil)
	require.NoError(t, err)
	source.Concepts = concept.Vocabulary{}
	return adopt.Adopt(source)
}

// text returns everything that a draft says.
func text(t *testing.T, d adopt.Draft) string {
	t.Helper()
	if d.Refusal != "" {
		return d.Refusal + "\n"
	}
	var out strings.Builder
	declaration, err := d.YAML()
	require.NoError(t, err)
	_, err = declared.Parse(declaration)
	require.NoError(t, err)
	out.Write(declaration)
	for _, f := range d.Findings {
		fmt.Fprintf(&out, "# %s %s: %s\n", map[bool]string{true: "must decide", false: "warning"}[f.MustDecide], f.Path, f.Message)
	}
	for _, sql := range append(d.Grants, d.Optional...) {
		fmt.Fprintf(&out, "# %s\n", sql)
	}
	return out.String()
}

// The drafts of a few tables, as people see them.
func TestDrafts(t *testing.T) {
	t.Parallel()
	crm, shop := setup(t, "crm"), setup(t, "shop")
	for _, c := range []struct {
		name                string
		conn                *pgx.Conn
		role, schema, table string
	}{
		{"accounts", crm, "", "crm", "accounts"},
		{"accounts_before_grants", crm, "loadbay_app", "crm", "accounts"},
		{"orders", crm, "", "crm", "orders"},
		{"product", shop, "", "shop", "product"},
		{"worker", shop, "", "shop", "worker"},
		{"purchase_line", shop, "", "shop", "purchase_line"},
	} {
		got := text(t, draft(t, c.conn, c.role, c.schema, c.table))
		file := "testdata/" + c.name + ".yaml"
		if *update {
			require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(want), got, "%s: run the test with -update and read the difference", c.name)
	}
}

func TestRefusalsSayWhy(t *testing.T) {
	t.Parallel()
	conn := setup(t, "crm")
	for table, why := range map[string]string{
		"log":         "no primary key",
		"cards":       "Column content of crm.cards is required and has the type bytea",
		"old_prices":  "money, whose values depend on a setting",
		"kept":        `rule "keep"`,
		"base":        "Other tables inherit",
		"visits_2020": "is a partition",
		"live":        `"view"`,
	} {
		require.Contains(t, draft(t, conn, "", "crm", table).Refusal, why, table)
	}
	require.Empty(t, draft(t, conn, "", "crm", "visits").Refusal)
}

func TestReadLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	conn := setup(t, "shop")
	tx, err := conn.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.Background()) }()
	_, err = adopt.Read(t.Context(), tx, "shop", "product", nil)
	require.NoError(t, err)
	var timeout string
	require.NoError(t, tx.QueryRow(t.Context(), "SHOW statement_timeout").Scan(&timeout))
	require.Equal(t, "0", timeout)
	_, err = adopt.Read(t.Context(), tx, "shop", "nothing", nil)
	require.ErrorIs(t, err, pgtable.ErrNoTable)
}

// A field gets the concept that the comment, the name, the type or the data of its column leave no doubt
// about.
func TestConceptsAreDrafted(t *testing.T) {
	t.Parallel()
	conn := setup(t, "shop")
	_, err := conn.Exec(t.Context(), `
		CREATE TABLE shop.customers (
			id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, number text UNIQUE, name text, c1 text, c2 text, phone text, city text, town text,
			start date, score integer, ship_city text, amount text, price text
		);
		COMMENT ON COLUMN shop.customers.c1 IS 'Vorname';
		INSERT INTO shop.customers (number, c2, phone, amount, price) SELECT i, 'c' || i || '@example.org', 'call me', i || '.50', 'cheap' FROM generate_series(1, 20) AS i`)
	require.NoError(t, err)
	d := draft(t, conn, "", "shop", "customers")
	concepts := make(map[string][]string)
	for _, f := range d.Declaration.Fields {
		concepts[f.Column] = f.Concepts
	}
	require.Equal(t, map[string][]string{
		"number": nil, // of a customer, or of the row
		"name":   {"record.name", "record.title", "person.fullName", "org.name"},
		"c1":     {"person.givenName"},
		"c2":     {"contact.email", "contact.workEmail"},
		"phone":  nil,              // the values are no numbers
		"city":   nil, "town": nil, // the same
		"start":     {"date.start", "event.date"},
		"score":     nil, // of a result, but there are no results
		"ship_city": {"receiver:address.city"}, "amount": {"money.amount", "money.total"}, "price": nil,
	}, concepts)
	require.Contains(t, d.Findings, adopt.Finding{
		Path: "fields[5]", Message: "Columns city, town seem to mean the same (address.city). Add concepts: [address.city] to the field that headers with this meaning match.",
	})
	// Values are read only with the right to.
	_, err = conn.Exec(t.Context(), "GRANT USAGE ON SCHEMA shop TO loadbay_app; GRANT INSERT ON shop.customers TO loadbay_app")
	require.NoError(t, err)
	for _, f := range draft(t, conn, "loadbay_app", "shop", "customers").Declaration.Fields {
		if f.Column == "c2" {
			require.Empty(t, f.Concepts)
		}
	}
}
