package planapply

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/entitytable"
)

// timestamp is the type of columns with values that the database may have generated.
const timestamp = "timestamp with time zone"

// table describes a table in the current schema.
type table struct {
	*entitytable.Table
	name string // quoted
	keys []key  // its unique keys except those that contain the id
	// others lists what keys of a declared table may use besides values of changes: its other columns
	// and their types, and the expressions of generated columns.
	others, generated []namedSQL
	// references lists the columns that hold ids of entities of other tables, by table.
	references map[string][]string
}

// key consists of SQL expressions that are unique together.
type key struct {
	parts  []string
	equals []string // SQL operators by which the parts are equal; nil is =
	// unguarded keys are those of a declared type without an index: the database does not refuse a
	// second entity.
	unguarded bool
}

// namedSQL is a column's name with an SQL expression or a type.
type namedSQL struct{ Name, SQL string }

// hasColumns reports whether the table has the columns.
func (t *table) hasColumns(columns []string) bool {
	return !slices.ContainsFunc(columns, func(name string) bool { return t.Kind(name) == "" })
}

// readable returns the SQL of the columns to read: of a table of others, the role may not read all.
func (t *table) readable() string {
	if t.Declared == nil {
		return "*"
	}
	var names []string
	for _, columns := range [][]entitytable.Column{t.Identity, t.Columns} {
		for i := range columns {
			if name := entitytable.Quote(columns[i].Name); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return strings.Join(names, ", ")
}

// loadTables returns the tables of the changes by name. Tables that no longer exist are missing.
func (w *planWriter) loadTables(ctx context.Context, tx pgx.Tx, parts []changeset.Part) (map[string]*table, error) {
	tables := make(map[string]*table)
	for _, part := range parts {
		for i := range part.Changes {
			tables[part.Changes[i].Table] = nil
		}
	}
	for name := range tables {
		t, err := w.loadTable(ctx, tx, name)
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", name, err)
		}
		tables[name] = t
	}
	return tables, nil
}

// loadTable reads a table from the catalogue; nil if it does not exist.
func (w *planWriter) loadTable(ctx context.Context, tx pgx.Tx, name string) (*table, error) {
	described, err := entitytable.Find(ctx, tx, w.store, w.Type, name)
	if err != nil || described == nil {
		return nil, err
	}
	t := &table{Table: described, name: described.SQL(), references: make(map[string][]string)}
	find := t.findKeys
	if t.Declared != nil {
		find = t.findDeclaredKeys
	}
	if err := find(ctx, tx); err != nil {
		return nil, err
	}
	return t, t.findReferences(ctx, tx)
}

// findKeys finds the unique keys within an organisation, except those with generated columns, for
// which a change has no values: that of orders follows from the id.
func (t *table) findKeys(ctx context.Context, tx pgx.Tx) error {
	identity := make([]string, len(t.Identity))
	for i := range t.Identity {
		identity[i] = t.Identity[i].Name
	}
	rows, err := tx.Query(ctx, `
		SELECT array_agg(pg_get_indexdef(i.indexrelid, k, true) ORDER BY k)
		FROM pg_index AS i
		CROSS JOIN LATERAL generate_series(1, i.indnkeyatts) AS k
		WHERE i.indrelid = to_regclass($1) AND i.indisunique AND NOT i.indisprimary AND i.indpred IS NULL
			AND NOT (
				SELECT coalesce(bool_or(a.attgenerated <> '') OR array_agg(a.attname::text) @> $2::text[], false)
				FROM pg_attribute AS a
				WHERE a.attrelid = i.indrelid AND a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1])
			)
		GROUP BY i.indexrelid`, t.name, identity)
	if err != nil {
		return err
	}
	return t.collectKeys(rows)
}

func (t *table) collectKeys(rows pgx.Rows) error {
	var parts []string
	_, err := pgx.ForEachRow(rows, []any{&parts}, func() error {
		t.keys, parts = append(t.keys, key{parts: parts}), nil
		return nil
	})
	return err
}

// findDeclaredKeys finds the unique keys of a table of others with columns that the role may read. Their
// generated columns follow from values of the change.
func (t *table) findDeclaredKeys(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, `
		SELECT array_agg(pg_get_indexdef(i.indexrelid, k, true) ORDER BY k)
		FROM pg_index AS i
		CROSS JOIN LATERAL generate_series(1, i.indnkeyatts) AS k
		WHERE i.indrelid = to_regclass($1) AND i.indisunique AND NOT i.indisprimary AND i.indpred IS NULL
			AND NOT EXISTS (
				SELECT
				FROM pg_depend AS d
				WHERE d.classid = 'pg_class'::regclass AND d.objid = i.indexrelid AND d.refclassid = 'pg_class'::regclass AND d.refobjid = i.indrelid
					AND d.refobjsubid > 0 AND NOT has_column_privilege(i.indrelid, d.refobjsubid::int2, 'SELECT')
			)
			AND NOT EXISTS (SELECT FROM unnest((i.indkey::int2[])[0:i.indnkeyatts - 1]) AS own WHERE own > 0 AND NOT has_column_privilege(i.indrelid, own, 'SELECT'))
		GROUP BY i.indexrelid`, t.name)
	if err != nil {
		return err
	}
	if err := t.collectKeys(rows); err != nil {
		return err
	}
	for _, k := range t.Declared.Unguarded {
		t.keys = append(t.keys, key{parts: k.Parts, equals: k.Equals, unguarded: true})
	}
	rows, err = tx.Query(ctx, `
		SELECT a.attname, a.attgenerated <> '', CASE WHEN a.attgenerated <> '' THEN pg_get_expr(d.adbin, d.adrelid) ELSE format_type(a.atttypid, -1) END
		FROM pg_attribute AS a
		LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
		WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped
		ORDER BY a.attnum`, t.name)
	if err != nil {
		return err
	}
	var column namedSQL
	var generated bool
	_, err = pgx.ForEachRow(rows, []any{&column.Name, &generated, &column.SQL}, func() error {
		if generated {
			t.generated = append(t.generated, column)
		} else {
			t.others = append(t.others, column)
		}
		return nil
	})
	return err
}

// findReferences finds the columns that hold ids of other tables' entities.
func (t *table) findReferences(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, `
		SELECT c.confrelid::regclass::text, own.attname
		FROM pg_constraint AS c
		CROSS JOIN LATERAL unnest(c.conkey, c.confkey) AS k(own, other)
		JOIN pg_attribute AS own ON own.attrelid = c.conrelid AND own.attnum = k.own
		JOIN pg_attribute AS other ON other.attrelid = c.confrelid AND other.attnum = k.other AND other.attname = 'id'
		WHERE c.contype = 'f' AND c.conrelid = to_regclass($1)
			-- Postgres repeats a foreign key for each partition of the table that it refers to.
			AND NOT EXISTS (SELECT FROM pg_constraint AS whole WHERE whole.oid = c.conparentid AND whole.conrelid = c.conrelid)`, t.name)
	if err != nil {
		return err
	}
	var other, column string
	_, err = pgx.ForEachRow(rows, []any{&other, &column}, func() error {
		t.references[other] = append(t.references[other], column)
		return nil
	})
	return err
}
