package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/entitytable"
)

// EntityTable describes a table; nil if it does not exist or its changes are not captured. A column's
// type is without a length or scale, and the base type of a domain: a cast to varchar(3) cuts a
// value silently, which an assignment to the column refuses.
func (db *DB) EntityTable(ctx context.Context, tx pgx.Tx, name string) (*entitytable.Table, error) {
	rows, err := tx.Query(ctx, `
		SELECT a.attname, format_type(b.oid, -1), a.attgenerated <> ''
		FROM pg_class AS c
		JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
		CROSS JOIN LATERAL (
			WITH RECURSIVE based AS (
				SELECT oid, typtype, typbasetype FROM pg_type WHERE oid = a.atttypid
				UNION ALL
				SELECT t.oid, t.typtype, t.typbasetype FROM based JOIN pg_type AS t ON t.oid = based.typbasetype AND based.typtype = 'd'
			)
			SELECT oid FROM based WHERE typtype <> 'd'
		) AS b
		WHERE c.oid = to_regclass(quote_ident($1))
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
// job that writes values directly rather than from a file: $1 is the job, v._lb_row the row. They
// are not among the entity's values.
var sourceColumns = map[string]string{"source_job": "$1", "source_row": "nullif(v._lb_row, 0)", "source_cells": "NULL", "source_before": "NULL"}

func addColumn(t *entitytable.Table, c entitytable.Column) {
	switch _, source := sourceColumns[c.Name]; {
	case c.Name == "organisation_id":
	case source:
		t.Sources = append(t.Sources, c.Name)
	default:
		t.Columns = append(t.Columns, c)
	}
	if c.Name == "id" {
		t.Identity = []entitytable.Column{c}
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

// foreignKeysTo finds the foreign keys that refer to entities of the table. Also those that would
// cascade or be set to NULL keep an entity from being deleted: an undo takes no rows along that it
// does not name. If the role cannot see the rows that refer to a declared table, every entity may
// have some.
func (*DB) foreignKeysTo(ctx context.Context, tx pgx.Tx, t *entitytable.Table) error {
	rows, err := tx.Query(ctx, `
		SELECT k.conrelid::regclass::text,
			ARRAY(SELECT attname::text FROM unnest(k.conkey) WITH ORDINALITY AS u(n, place) JOIN pg_attribute ON attrelid = k.conrelid AND attnum = n ORDER BY place),
			ARRAY(SELECT attname::text FROM unnest(k.confkey) WITH ORDINALITY AS u(n, place) JOIN pg_attribute ON attrelid = k.confrelid AND attnum = n ORDER BY place),
			NOT row_security_active(k.conrelid) AND NOT EXISTS (SELECT FROM unnest(k.conkey) AS u(n) WHERE NOT has_column_privilege(k.conrelid, n, 'SELECT'))
				AND (SELECT has_schema_privilege(relnamespace, 'USAGE') FROM pg_class WHERE oid = k.conrelid)
		FROM pg_constraint AS k
		WHERE k.contype = 'f' AND k.confrelid = to_regclass($1)
			-- Postgres repeats a foreign key of a partitioned table for each of its partitions.
			AND NOT EXISTS (SELECT FROM pg_constraint AS whole WHERE whole.oid = k.conparentid AND whole.confrelid = k.confrelid)`, t.SQL())
	if err != nil {
		return fmt.Errorf("load foreign keys to %s: %w", t.Name, err)
	}
	t.References, t.Referred = nil, false
	var r entitytable.Reference
	var visible bool
	_, err = pgx.ForEachRow(rows, []any{&r.Table, &r.From, &r.To, &visible}, func() error {
		if t.Declared != nil && !visible {
			t.Referred = true
		} else {
			t.References = append(t.References, r)
		}
		r = entitytable.Reference{}
		return nil
	})
	if err != nil {
		return fmt.Errorf("load foreign keys to %s: %w", t.Name, err)
	}
	return nil
}

// DeclaredTable returns a declared table with the foreign keys that lead to it now; nil if it no
// longer exists.
func (db *DB) DeclaredTable(ctx context.Context, tx pgx.Tx, declared *entitytable.Table) (*entitytable.Table, error) {
	if exists, err := tableExists(ctx, tx, declared); err != nil || !exists {
		return nil, err
	}
	t := *declared
	return &t, db.foreignKeysTo(ctx, tx, &t)
}

func tableExists(ctx context.Context, tx pgx.Tx, t *entitytable.Table) (exists bool, err error) {
	if err = tx.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL`, t.SQL()).Scan(&exists); err != nil {
		return false, fmt.Errorf("look for table %s: %w", t.Name, err)
	}
	return exists, nil
}

// referencedSQL returns the SQL condition under which e is referenced.
func referencedSQL(t *entitytable.Table) string {
	conditions := make([]string, len(t.References))
	for k, r := range t.References {
		equal := make([]string, len(r.From))
		for i := range r.From {
			equal[i] = "r." + entitytable.Quote(r.From[i]) + " = e." + entitytable.Quote(r.To[i])
		}
		conditions[k] = fmt.Sprintf("EXISTS (SELECT FROM %s AS r WHERE %s)", r.Table, strings.Join(equal, " AND "))
	}
	return strings.Join(conditions, " OR ")
}
