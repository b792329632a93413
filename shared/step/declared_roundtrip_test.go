package step_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	rules "github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/entity/declared/expression"
	"github.com/loadbay/loadbay/shared/imports/adopt"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/mapping/concept"
	"github.com/loadbay/loadbay/shared/output/export"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// everything is a table with columns of many types, and values at their limits.
const everything = `
	CREATE TYPE shop.mood AS ENUM ('sad', 'ok', 'Happy');
	CREATE TABLE shop.everything (
		code varchar(20) PRIMARY KEY, word text, fixed char(4), small smallint, large bigint, amount numeric(20,6), free numeric,
		ratio double precision, flag boolean, day date, moment timestamp, instant timestamptz, clock time, span interval,
		ident uuid, tags text[], doc jsonb, raw json, net inet, numbers int4range, mood shop.mood
	);
	INSERT INTO shop.everything
	SELECT 'C-' || i,
		(ARRAY[NULL, 'é 😀 日本', '=1+1', 'say "so"; a,b', E'line\nbreak', '00123', '-5', '+27 82 555', '1e5', 'TRUE', '2026-01-02'])[i % 11 + 1],
		CASE WHEN i % 3 > 0 THEN left('abcd', i % 4 + 1) END,
		(ARRAY[NULL, -32768, 0, 32767])[i % 4 + 1],
		(ARRAY[NULL, -9223372036854775807, 0, 9223372036854775807])[i % 4 + 1],
		(ARRAY[NULL, -99999999999999.999999, 0, 0.000001, 1234.5])[i % 5 + 1],
		(ARRAY[NULL, 123456789012345678901234567890.5, 0.00000001, -1.1])[i % 4 + 1],
		(ARRAY[NULL, 0.1, -2.5, 123456789.125])[i % 4 + 1],
		(ARRAY[NULL, true, false])[i % 3 + 1],
		(ARRAY[NULL, date '1900-01-01', '2024-02-29', '9999-12-31'])[i % 4 + 1],
		(ARRAY[NULL, timestamp '2020-02-29 23:59:59.999999', '1999-12-31 00:00'])[i % 3 + 1],
		(ARRAY[NULL, timestamptz '2020-02-29 23:59:59.999999+00', '2024-10-27 01:30+00', '2024-10-27 00:30+00'])[i % 4 + 1],
		(ARRAY[NULL, time '23:59:59.5', '00:00'])[i % 3 + 1],
		(ARRAY[NULL, interval '1 year 2 mons 3 days 04:05:06', '-1 day'])[i % 3 + 1],
		CASE WHEN i % 2 > 0 THEN ('00000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid END,
		CASE i % 3 WHEN 1 THEN ARRAY['a', 'b c'] WHEN 2 THEN ARRAY['=1', 'say "so"', 'back\slash'] END,
		CASE i % 3 WHEN 1 THEN '{"b": 1.0, "a": [1, null]}'::jsonb WHEN 2 THEN '"text"' END,
		CASE i % 3 WHEN 1 THEN '{"b": 1.0,  "a": 2}'::json END,
		(ARRAY[NULL, inet '192.0.2.1/24', '::1'])[i % 3 + 1],
		(ARRAY[NULL, int4range '[1,5)', 'empty', '(,3)'])[i % 4 + 1],
		(ARRAY[NULL, 'sad', 'ok', 'Happy']::shop.mood[])[i % 4 + 1]
	FROM generate_series(1, 240) AS i`

// exportDeclared exports all rows of a declared type.
func (e *engine) exportDeclared(t *testing.T, kind *declared.Type, format export.Format) string {
	t.Helper()
	d := kind.Declaration()
	selection, err := export.Select(d, nil, nil)
	require.NoError(t, err)
	var file bytes.Buffer
	w, err := export.NewWriter(format, &file, export.Fields(d, selection))
	require.NoError(t, err)
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		_, err := export.WriteRows(t.Context(), tx, d, selection, w, func(int64) error { return nil })
		return err
	}))
	require.NoError(t, w.Close())
	return file.String()
}

// adopted makes the draft of a table the type of the engine.
func (e *engine) adopted(t *testing.T, schema, table string) *declared.Type {
	t.Helper()
	var kind *declared.Type
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		source, err := adopt.Read(t.Context(), tx, schema, table, nil)
		if err != nil {
			return err
		}
		source.Concepts = concept.Vocabulary{}
		draft := adopt.Adopt(source)
		require.Empty(t, draft.Refusal)
		text, err := draft.YAML()
		require.NoError(t, err)
		declaration, err := declared.Parse(text)
		require.NoError(t, err)
		if kind, err = declared.Compile(declaration, source.Table); err == nil {
			kind.Declaration().Expressions, err = expression.Compile(kind)
		}
		return err
	}))
	e.types.(*declaredTypes).kind = kind
	return kind
}

// requireSameRows names the first row that differs.
func requireSameRows(t *testing.T, want, found []string, table string) {
	t.Helper()
	require.Len(t, found, len(want), table)
	for i := range want {
		require.Equal(t, want[i], found[i], table)
	}
}

// The drafts of tables that Loadbay did not design import what they export: a file changes nothing, an
// emptied table is filled again, and an undo of a file that has changed a third of the rows restores them.
func TestDeclaredTablesRoundTrip(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("../../infra/tests/owntables/testdata/shop.sql")
	require.NoError(t, err)
	for _, format := range []export.Format{export.CSV, export.XLSX} {
		t.Run(string(format), func(t *testing.T) {
			t.Parallel()
			e := setupTypes(t, 97, &declaredTypes{Catalog: catalog.New()})
			e.Exec(t, string(script)+";"+everything+`;
				GRANT USAGE ON SCHEMA shop TO loadbay_app;
				GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA shop TO loadbay_app;
				GRANT USAGE ON ALL SEQUENCES IN SCHEMA shop TO loadbay_app`)
			for _, c := range []struct{ table, changed, without string }{
				{"everything", "word = NULL", ""},
				{"category", "category_name = 'of ' || category_id", ""},
				{"supplier", "city = NULL", ""},
				{"product", "supplier_id = NULL", ""},
				{"buyer", "country = NULL", ""},
				{"worker", "birth_date = NULL", "worker_id"},
				{"purchase", "freight = NULL", ""},
				{"purchase_line", "discount = 0.5", ""},
			} {
				kind := e.adopted(t, "shop", c.table)
				rows := func() []string {
					return postgrestest.Query[[]string](t, e.Database, `SELECT array_agg((to_jsonb(e) - $1)::text ORDER BY (to_jsonb(e) - $1)::text) FROM shop.`+c.table+` AS e`, c.without)
				}
				before, file := rows(), e.exportDeclared(t, kind, format)
				importFile := func() (outcomes []string, undo func() []string) {
					ref := e.create(t, kind.Declaration().Name, format.Filename(c.table), file, declaredJob(rowwrite.Upsert))
					e.prepare(t, ref)
					e.drain(t, false)
					require.NoError(t, e.complete.Run(t.Context(), ref), c.table)
					for _, line := range e.results(t, ref) {
						_, outcome, _ := strings.Cut(line, " ")
						outcomes = append(outcomes, outcome)
					}
					slices.Sort(outcomes)
					p := e.job(t, ref).Progress.Counts
					outcomes = append(slices.Compact(outcomes), fmt.Sprint(p.Created, p.Updated, p.Unchanged))
					return outcomes, func() []string { return e.results(t, e.undo(t, ref, rules.Safe)) }
				}
				n := len(before)
				outcomes, _ := importFile()
				require.Equal(t, fmt.Sprint(0, 0, n), outcomes[len(outcomes)-1], "%s: %v", c.table, outcomes)
				requireSameRows(t, before, rows(), c.table)

				e.Exec(t, `UPDATE shop.`+c.table+` SET `+c.changed+` WHERE hashtext(`+c.table+`::text) % 3 = 0`)
				changed := rows()
				require.False(t, slices.Equal(before, changed), c.table)
				_, undo := importFile()
				requireSameRows(t, before, rows(), c.table)
				for _, line := range undo() {
					require.Contains(t, line, "UNDONE", c.table)
				}
				requireSameRows(t, changed, rows(), c.table)
				importFile()

				if c.table == "worker" {
					continue // a file cannot refer to rows that it creates
				}
				e.Exec(t, `SET session_replication_role = replica; DELETE FROM shop.`+c.table+`; RESET session_replication_role`)
				outcomes, _ = importFile()
				require.Equal(t, fmt.Sprint(n, 0, 0), outcomes[len(outcomes)-1], "%s: %v", c.table, outcomes)
				requireSameRows(t, before, rows(), c.table)
			}
		})
	}
}
