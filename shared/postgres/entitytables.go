package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// EntityTable is a table with captured changes, as currently described by the database:
// migrations may have changed it.
type EntityTable struct {
	Name       string
	id         string // type of its ids
	columns    []entityColumn
	sources    []string // assignments of the source columns; see sourceColumns
	references []string // conditions under which e is referenced
}

type entityColumn struct {
	name, kind string
	generated  bool
}

// EntityTable describes a table; nil if it does not exist or its changes are not captured.
func (db *DB) EntityTable(ctx context.Context, tx pgx.Tx, name string) (*EntityTable, error) {
	rows, err := tx.Query(ctx, `
		SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attgenerated <> ''
		FROM pg_class AS c
		JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
		WHERE c.relnamespace = 'public'::regnamespace AND c.relname = $1
		  AND EXISTS (SELECT FROM pg_trigger AS t WHERE t.tgrelid = c.oid AND t.tgname = 'capture_inserts')
		ORDER BY a.attnum`, name)
	if err != nil {
		return nil, fmt.Errorf("describe table %s: %w", name, err)
	}
	t := &EntityTable{Name: name}
	var c entityColumn
	_, err = pgx.ForEachRow(rows, []any{&c.name, &c.kind, &c.generated}, func() error {
		t.add(c)
		return nil
	})
	if err != nil || len(t.columns) == 0 {
		return nil, err
	}
	return t, db.foreignKeysTo(ctx, tx, t)
}

// sourceColumns are the columns that record the writer of an entity, with their values for a
// job that writes values directly rather than from a file: $1 is the job, v.row the row. They
// are not among the entity's values.
var sourceColumns = map[string]string{"source_job": "$1", "source_row": "nullif(v.row, 0)", "source_cells": "NULL", "source_before": "NULL"}

func (t *EntityTable) add(c entityColumn) {
	switch value, source := sourceColumns[c.name]; {
	case c.name == "organisation_id":
	case source:
		t.sources = append(t.sources, c.name+" = "+value)
	default:
		t.columns = append(t.columns, c)
	}
	if c.name == "id" {
		t.id = c.kind
	}
}

// Kind returns the type of a column; "" if the table does not have it.
func (t *EntityTable) Kind(column string) string {
	if c := t.column(column); c != nil {
		return c.kind
	}
	return ""
}

// Derived reports whether a column is generated from others and is never written.
func (t *EntityTable) Derived(column string) bool {
	c := t.column(column)
	return c != nil && c.generated
}

// HasSource reports whether entities record the job and row that last wrote them.
func (t *EntityTable) HasSource() bool { return len(t.sources) > 0 }

// column returns the column with that name, or nil.
func (t *EntityTable) column(name string) *entityColumn {
	i := slices.IndexFunc(t.columns, func(c entityColumn) bool { return c.name == name })
	if i < 0 {
		return nil
	}
	return &t.columns[i]
}

// foreignKeysTo finds the foreign keys that prevent deleting an entity of the table: others
// cascade, or are set to NULL.
func (*DB) foreignKeysTo(ctx context.Context, tx pgx.Tx, t *EntityTable) error {
	rows, err := tx.Query(ctx, `
		SELECT k.conrelid::regclass::text,
			ARRAY(SELECT attname::text FROM unnest(k.conkey) WITH ORDINALITY AS u(n, place) JOIN pg_attribute ON attrelid = k.conrelid AND attnum = n ORDER BY place),
			ARRAY(SELECT attname::text FROM unnest(k.confkey) WITH ORDINALITY AS u(n, place) JOIN pg_attribute ON attrelid = k.confrelid AND attnum = n ORDER BY place)
		FROM pg_constraint AS k
		WHERE k.contype = 'f' AND k.confdeltype IN ('a', 'r') AND k.confrelid = ('public.' || quote_ident($1))::regclass`, t.Name)
	if err != nil {
		return fmt.Errorf("load foreign keys to %s: %w", t.Name, err)
	}
	var table string
	var from, to []string
	_, err = pgx.ForEachRow(rows, []any{&table, &from, &to}, func() error {
		equal := make([]string, len(from))
		for i := range from {
			equal[i] = "r." + quoteIdentifier(from[i]) + " = e." + quoteIdentifier(to[i])
		}
		t.references = append(t.references, fmt.Sprintf("EXISTS (SELECT FROM %s AS r WHERE %s)", table, strings.Join(equal, " AND ")))
		return nil
	})
	if err != nil {
		return fmt.Errorf("load foreign keys to %s: %w", t.Name, err)
	}
	return nil
}

func quoteIdentifier(name string) string { return pgx.Identifier{name}.Sanitize() }
