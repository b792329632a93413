package schema

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/postgres/searchpath"
)

// CheckTypes compares the tables of the import types with what the types need: their changes are
// captured, entities have an id, and no number is rounded. The error names each missing part, and
// how to add it.
func CheckTypes(ctx context.Context, administrator *pgx.ConnConfig, types []entity.Type) error {
	conn, err := pgx.ConnectConfig(ctx, withPath(administrator, searchpath.Path))
	if err != nil {
		return fmt.Errorf("check import types: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var missing []error
	for _, t := range types {
		d := t.Declaration()
		if d.Export == nil {
			missing = append(missing, fmt.Errorf("import type %s has no Export: declare the table of its entities", d.Name))
			continue
		}
		tables := []string{d.Export.Table}
		for _, related := range d.Export.RelatedTables {
			tables = append(tables, related)
		}
		for _, table := range tables {
			found, err := checkTable(ctx, conn, d, table)
			if err != nil {
				return fmt.Errorf("check import type %s: %w", d.Name, err)
			}
			missing = append(missing, found...)
		}
		found, err := checkNumbers(ctx, conn, d)
		if err != nil {
			return fmt.Errorf("check import type %s: %w", d.Name, err)
		}
		missing = append(missing, found...)
	}
	return errors.Join(missing...)
}

// checkTable returns what is missing for plans, undos and the history of a table.
func checkTable(ctx context.Context, conn *pgx.Conn, d *entity.Declaration, table string) (missing []error, err error) {
	var exists, captured, identified bool
	err = conn.QueryRow(ctx, `
		SELECT to_regclass($1) IS NOT NULL,
			(SELECT count(*) = 3 FROM pg_trigger WHERE tgrelid = to_regclass($1) AND tgfoid = 'capture_changes'::regproc AND tgenabled <> 'D'),
			EXISTS (
				SELECT FROM pg_attribute AS a
				JOIN pg_index AS i ON i.indrelid = a.attrelid AND i.indisunique AND a.attnum = ANY (i.indkey)
				WHERE a.attrelid = to_regclass($1) AND a.attname = 'id' AND a.attnotnull AND i.indpred IS NULL AND NOT EXISTS (
					SELECT FROM pg_attribute AS other
					WHERE other.attrelid = a.attrelid AND other.attnum = ANY (i.indkey) AND other.attname NOT IN ('id', 'organisation_id'))
			)`, table).Scan(&exists, &captured, &identified)
	if err != nil {
		return nil, err
	}
	if !exists {
		return []error{fmt.Errorf("import type %s: table %s does not exist", d.Name, table)}, nil
	}
	if !captured {
		missing = append(missing, fmt.Errorf("import type %s: changes of %s are not captured: add CALL capture_changes_of('%s') to its migration", d.Name, table, table))
	}
	if !identified {
		missing = append(missing, fmt.Errorf("import type %s: entities of %s have no identity: add a column id, NOT NULL and unique within an organisation, to its migration", d.Name, table))
	}
	return missing, nil
}

// checkNumbers returns the fields whose column has fewer decimals than the field accepts: Postgres
// would round their values without an error.
func checkNumbers(ctx context.Context, conn *pgx.Conn, d *entity.Declaration) (missing []error, err error) {
	for i := range d.Fields {
		f := &d.Fields[i]
		if f.Kind != entity.Decimal || f.Expr != "" {
			continue
		}
		var scale *int
		err := conn.QueryRow(ctx, `
			SELECT max(CASE WHEN atttypmod >= 0 THEN (atttypmod - 4) & 2047 END)::int
			FROM pg_attribute
			WHERE attrelid = to_regclass($1) AND attname = $2 AND atttypid = 'numeric'::regtype`, d.Export.Table, f.Column).Scan(&scale)
		if err != nil {
			return nil, err
		}
		if scale != nil && (f.Decimals == nil || *f.Decimals > *scale) {
			missing = append(missing, fmt.Errorf("import type %s: column %s.%s rounds to %d decimals: set Decimals of the field %s", d.Name, d.Export.Table, f.Column, *scale, f.Name))
		}
	}
	return missing, nil
}
