package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/entitytable"
)

// EntityTable describes a table; nil if it does not exist or its changes are not captured.
func (db *DB) EntityTable(ctx context.Context, tx pgx.Tx, name string) (*entitytable.Table, error) {
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
	t := &entitytable.Table{Name: name}
	var c entitytable.Column
	_, err = pgx.ForEachRow(rows, []any{&c.Name, &c.Type, &c.Generated}, func() error {
		addColumn(t, c)
		return nil
	})
	if err != nil || len(t.Columns) == 0 {
		return nil, err
	}
	return t, db.foreignKeysTo(ctx, tx, t)
}

// sourceColumns are the columns that record the writer of an entity, with their values for a
// job that writes values directly rather than from a file: $1 is the job, v.row the row. They
// are not among the entity's values.
var sourceColumns = map[string]string{"source_job": "$1", "source_row": "nullif(v.row, 0)", "source_cells": "NULL", "source_before": "NULL"}

func addColumn(t *entitytable.Table, c entitytable.Column) {
	switch _, source := sourceColumns[c.Name]; {
	case c.Name == "organisation_id":
	case source:
		t.Sources = append(t.Sources, c.Name)
	default:
		t.Columns = append(t.Columns, c)
	}
	if c.Name == "id" {
		t.IDType = c.Type
	}
}

// sourceAssignments returns the assignments of the source columns.
func sourceAssignments(t *entitytable.Table) []string {
	set := make([]string, len(t.Sources))
	for i, name := range t.Sources {
		set[i] = name + " = " + sourceColumns[name]
	}
	return set
}

// foreignKeysTo finds the foreign keys that prevent deleting an entity of the table: others
// cascade, or are set to NULL.
func (*DB) foreignKeysTo(ctx context.Context, tx pgx.Tx, t *entitytable.Table) error {
	rows, err := tx.Query(ctx, `
		SELECT k.conrelid::regclass::text,
			ARRAY(SELECT attname::text FROM unnest(k.conkey) WITH ORDINALITY AS u(n, place) JOIN pg_attribute ON attrelid = k.conrelid AND attnum = n ORDER BY place),
			ARRAY(SELECT attname::text FROM unnest(k.confkey) WITH ORDINALITY AS u(n, place) JOIN pg_attribute ON attrelid = k.confrelid AND attnum = n ORDER BY place)
		FROM pg_constraint AS k
		WHERE k.contype = 'f' AND k.confdeltype IN ('a', 'r') AND k.confrelid = ('public.' || quote_ident($1))::regclass`, t.Name)
	if err != nil {
		return fmt.Errorf("load foreign keys to %s: %w", t.Name, err)
	}
	t.References, err = pgx.CollectRows(rows, pgx.RowToStructByPos[entitytable.Reference])
	if err != nil {
		return fmt.Errorf("load foreign keys to %s: %w", t.Name, err)
	}
	return nil
}

// referencedSQL returns the SQL condition under which e is referenced.
func referencedSQL(t *entitytable.Table) string {
	conditions := make([]string, len(t.References))
	for k, r := range t.References {
		equal := make([]string, len(r.From))
		for i := range r.From {
			equal[i] = "r." + quoteIdentifier(r.From[i]) + " = e." + quoteIdentifier(r.To[i])
		}
		conditions[k] = fmt.Sprintf("EXISTS (SELECT FROM %s AS r WHERE %s)", r.Table, strings.Join(equal, " AND "))
	}
	return strings.Join(conditions, " OR ")
}

func quoteIdentifier(name string) string { return pgx.Identifier{name}.Sanitize() }
