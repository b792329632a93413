package planapply

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/entitytable"
)

// timestamp is the type of columns with values that the database may have generated.
const timestamp = "timestamp with time zone"

// table describes a table in the current schema.
type table struct {
	*entitytable.Table
	name string     // quoted
	keys [][]string // expressions of its unique keys except those that contain the id
	// references lists the columns that hold ids of entities of other tables, by table.
	references map[string][]string
}

// hasColumns reports whether the table has the columns.
func (t *table) hasColumns(columns []string) bool {
	return !slices.ContainsFunc(columns, func(name string) bool { return t.Kind(name) == "" })
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
	described, err := w.store.EntityTable(ctx, tx, name)
	if err != nil || described == nil {
		return nil, err
	}
	t := &table{Table: described, name: quoteColumn(name), references: make(map[string][]string)}
	if err := t.findKeys(ctx, tx); err != nil {
		return nil, err
	}
	return t, t.findReferences(ctx, tx)
}

// findKeys finds the unique keys within an organisation.
func (t *table) findKeys(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, `
		SELECT array_agg(pg_get_indexdef(i.indexrelid, k, true) ORDER BY k)
		FROM pg_index AS i
		CROSS JOIN LATERAL generate_series(1, i.indnkeyatts) AS k
		WHERE i.indrelid = to_regclass($1) AND i.indisunique AND NOT i.indisprimary AND i.indpred IS NULL
		GROUP BY i.indexrelid
		HAVING NOT 'id' = ANY (array_agg(pg_get_indexdef(i.indexrelid, k, true)))`, t.name)
	if err != nil {
		return err
	}
	t.keys, err = pgx.CollectRows(rows, pgx.RowTo[[]string])
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
		WHERE c.contype = 'f' AND c.conrelid = to_regclass($1)`, t.name)
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
