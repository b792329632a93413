package cli

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/doctest"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
	"github.com/loadbay/loadbay/shared/testing/pglaunch"
)

// products is a table of 1,000 rows with two foreign keys, which the role app owns.
const products = `
	CREATE SCHEMA app;
	CREATE TABLE app.categories (id serial PRIMARY KEY, name text NOT NULL UNIQUE);
	CREATE TABLE app.suppliers (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE, city text);
	CREATE TABLE app.products (
		id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		sku text NOT NULL CONSTRAINT products_sku_key UNIQUE,
		name text NOT NULL,
		category_id integer NOT NULL REFERENCES app.categories,
		supplier_id bigint REFERENCES app.suppliers,
		price numeric(10,2) CHECK (price >= 0),
		updated_at timestamptz NOT NULL DEFAULT '2026-01-01'
	);
	COMMENT ON COLUMN app.products.sku IS 'Article number';
	INSERT INTO app.categories (name) VALUES ('Tools'), ('Ropes'), ('Paint');
	INSERT INTO app.suppliers (name) SELECT 'Supplier ' || i FROM generate_series(1, 20) AS i;
	INSERT INTO app.products (sku, name, category_id, supplier_id, price)
	SELECT 'A-' || lpad(i::text, 4, '0'), 'Anchor ' || i, i % 3 + 1, nullif(i % 21, 0), i * 1.25 FROM generate_series(1, 1000) AS i`

// TestOwnTablesTour runs the commands of docs/own-tables.md in an empty folder, on a Postgres that
// Loadbay has not started, for a table that is not Loadbay's.
func TestOwnTablesTour(t *testing.T) {
	t.Parallel()
	root := stacktest.Root(t)
	server, err := pglaunch.StartTemporary(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	execAs(t, server.AdminURL("postgres"), `CREATE ROLE app LOGIN PASSWORD 'app'`, `CREATE DATABASE shop OWNER app`)
	owner := server.URL("app", "app", "shop")
	execAs(t, owner, products)
	dump := func() []string {
		text, err := exec.Command("pg_dump", "--schema=app", "--no-privileges", owner).Output()
		require.NoError(t, err)
		// An undo does not turn back a sequence. pg_dump writes a random key for psql, and rows in the
		// order of their last changes.
		lines := strings.Split(regexp.MustCompile(`(?m)^(SELECT pg_catalog\.setval.*|\\(un)?restrict .*)$`).ReplaceAllString(string(text), ""), "\n")
		slices.Sort(lines)
		return lines
	}
	before := dump()

	stack := stacktest.Start(t, "DATABASE_URL="+server.AdminURL("shop"))
	require.Equal(t, before, dump(), "the installation changes nothing of the table")
	s := newShell(t, stack)
	address, err := url.Parse(owner)
	require.NoError(t, err)
	s.env = append(s.env, "PGHOST="+address.Hostname(), "PGPORT="+address.Port(), "PGPASSWORD=app", "PGDATABASE=shop",
		"PATH="+filepath.Join(root, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	document := filepath.Join(root, "docs", "own-tables.md")
	s.writeFile(t, "products.csv", csvBlock(t, document))
	blocks := doctest.Read(t, document)
	script := doctest.Script(blocks)
	require.LessOrEqual(t, len(regexp.MustCompile(`(?m)^(loadbay|sed|psql|id=)`).FindAllString(script, -1)), 10, "commands of the tour")
	c := s.command(t)
	c.Path, c.Args = "/bin/bash", []string{"bash", "-c", strings.ReplaceAll(script, "127.0.0.1:8080", stack.API)}
	output, err := c.Output()
	require.NoError(t, err, "it printed:\n%s", output)
	doctest.CheckOutput(t, blocks, string(output))
	require.Equal(t, before, dump(), "the undo has restored the table")
}

func execAs(t *testing.T, url string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	for _, sql := range statements {
		_, err := conn.Exec(t.Context(), sql)
		require.NoError(t, err, fmt.Sprintf("%.80s", sql))
	}
}

// csvBlock returns the file of a document.
func csvBlock(t *testing.T, document string) string {
	t.Helper()
	text, err := os.ReadFile(document)
	require.NoError(t, err)
	found := regexp.MustCompile("(?ms)^```csv\n(.*?)^```$").FindStringSubmatch(string(text))
	require.NotNil(t, found)
	return found[1]
}
