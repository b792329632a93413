package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// EntityTable is a table whose changes are captured, as the database describes it now:
// migrations may have changed it since.
type EntityTable struct {
	Name       string
	id         string // the type of its ids
	columns    []entityColumn
	sources    []string // the columns that say who wrote an entity, as assignments; see written
	references []string // conditions that something refers to e
}

type entityColumn struct {
	name, kind string
	generated  bool
}

// EntityTable describes a table; nil if there is none of that name whose changes are
// captured.
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

// sourceColumns are the columns that say who wrote an entity, with what a job gives them that
// writes values as they are, and not a file: $1 is the job, v.row the row. They are none of
// its values.
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

// Kind is the type of a column; "" for one that the table does not have.
func (t *EntityTable) Kind(column string) string {
	if c := t.column(column); c != nil {
		return c.kind
	}
	return ""
}

// Derived reports whether a column follows from others: nobody writes it.
func (t *EntityTable) Derived(column string) bool {
	c := t.column(column)
	return c != nil && c.generated
}

// HasSource reports whether entities say which job and row have written them last.
func (t *EntityTable) HasSource() bool { return len(t.sources) > 0 }

// column returns the column of that name, or nil.
func (t *EntityTable) column(name string) *entityColumn {
	i := slices.IndexFunc(t.columns, func(c entityColumn) bool { return c.name == name })
	if i < 0 {
		return nil
	}
	return &t.columns[i]
}

// foreignKeysTo finds the foreign keys that keep an entity of the table from going: others
// go with it, or are emptied.
func (*DB) foreignKeysTo(ctx context.Context, tx pgx.Tx, t *EntityTable) error {
	rows, err := tx.Query(ctx, `
		SELECT k.conrelid::regclass::text,
			ARRAY(SELECT attname::text FROM unnest(k.conkey) WITH ORDINALITY AS u(n, place) JOIN pg_attribute ON attrelid = k.conrelid AND attnum = n ORDER BY place),
			ARRAY(SELECT attname::text FROM unnest(k.confkey) WITH ORDINALITY AS u(n, place) JOIN pg_attribute ON attrelid = k.confrelid AND attnum = n ORDER BY place)
		FROM pg_constraint AS k
		WHERE k.contype = 'f' AND k.confdeltype IN ('a', 'r') AND k.confrelid = ('public.' || quote_ident($1))::regclass`, t.Name)
	if err != nil {
		return fmt.Errorf("foreign keys to %s: %w", t.Name, err)
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
		return fmt.Errorf("foreign keys to %s: %w", t.Name, err)
	}
	return nil
}

func quoteIdentifier(name string) string { return pgx.Identifier{name}.Sanitize() }
