package entity

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// insert first assumes that all rows are new, which is the common case and needs no lookups in
// addition to the unique indexes. Only if an index is violated are the keys looked up and the
// rows classified one by one. If the first row exists already, the file was probably imported
// before, and the keys are looked up at once.
func (t *Table) insert(ctx context.Context, tx pgx.Tx, b *Batch, rows []int) error {
	for _, i := range rows {
		b.Results[i].Outcome = rowwrite.Created
	}
	known, err := t.keyExists(ctx, tx, b, rows[0])
	if err != nil {
		return err
	}
	if !known {
		err := Savepoint(ctx, tx, func(tx pgx.Tx) error { return t.insertRows(ctx, tx, b.subset(rows)) })
		if err == nil || !IsUniqueViolation(err) {
			return err
		}
	}
	// Another import may add a key between the lookup and the insert. It has committed by the
	// time the insert fails, so the next lookup finds the key.
	for attempt := 0; ; attempt++ {
		fresh, err := t.classifyInserts(ctx, tx, b, rows)
		if err != nil {
			return err
		}
		err = Savepoint(ctx, tx, func(tx pgx.Tx) error { return t.insertRows(ctx, tx, b.subset(fresh)) })
		if err == nil || !IsUniqueViolation(err) || attempt == maxAttempts {
			return err
		}
	}
}

// keyExists reports whether an entity has the first key in row i.
func (t *Table) keyExists(ctx context.Context, tx pgx.Tx, b *Batch, i int) (bool, error) {
	k := t.firstKey(b, i)
	if k == len(t.Keys) {
		return false, nil
	}
	found, err := t.findHolders(ctx, tx, b, t.Keys[k], []int{i})
	return len(found) > 0, err
}

// maxAttempts limits the retries after a concurrent insert of the same key.
const maxAttempts = 5

func (t *Table) insertRows(ctx context.Context, tx pgx.Tx, b *Batch) error {
	if b.Len() == 0 {
		return nil
	}
	sql, params := t.insertSQL(b, nil)
	_, err := Exec(ctx, tx, sql+t.insertOrder(b), params)
	return err
}

// insertSQL returns the statement that inserts all rows of the batch, in file order. cells holds
// their source_cells, or is nil.
func (t *Table) insertSQL(b *Batch, cells *Column) (string, []Param) {
	params := []Param{Int64Param(b.Organisation), Int64Param(b.JobKey), ArrayParam(&b.Rows)}
	names := []string{"organisation_id", "source_job", "source_row"}
	values := []string{"$1", "$2", "v.r"}
	arrays, aliases := []string{"$3::int8[]"}, []string{"r"}
	if cells != nil {
		params = append(params, ArrayParam(cells))
		names, values = append(names, "source_cells"), append(values, "v.cells::int4[]")
		arrays, aliases = append(arrays, "$4::text[]"), append(aliases, "cells")
	}
	if t.Context != "" {
		params = append(params, Int64Param(b.Context))
		names, values = append(names, t.Context), append(values, fmt.Sprintf("$%d", len(params)))
	}
	for i := range b.Declaration.Fields {
		f := &b.Declaration.Fields[i]
		if !b.Mapped[i] {
			continue // the default of the table applies
		}
		params = append(params, ArrayParam(&b.Columns[i]))
		alias := fmt.Sprintf("c%d", i)
		arrays = append(arrays, fmt.Sprintf("$%d::%s", len(params), f.Kind.ArrayType()))
		aliases = append(aliases, alias)
		names = append(names, f.Column)
		values = append(values, f.insertExpr("v."+alias, b.Columns[i].nulls > 0))
	}
	return fmt.Sprintf("INSERT INTO %s AS e (%s) SELECT %s FROM unnest(%s) AS v(%s)", t.Name,
		strings.Join(names, ", "), strings.Join(values, ", "), strings.Join(arrays, ", "), strings.Join(aliases, ", ")), params
}

// insertOrder returns the ORDER BY of a batch of new rows with a UUID as the first key, so that
// neighbours in its index are written consecutively. Other keys usually arrive in order, and
// sequential ids should be in file order (docs/decisions/0036). Updates keep the file order: a
// row may need a value that another row releases.
func (t *Table) insertOrder(b *Batch) string {
	i := b.Declaration.FieldIndex(t.Keys[0].Field)
	if b.Declaration.Fields[i].Kind != UUID || !b.Mapped[i] {
		return ""
	}
	return fmt.Sprintf(" ORDER BY v.c%d", i)
}

// insertExpr returns the SQL expression of a field's value in a new entity.
func (f *Field) insertExpr(sql string, nulls bool) string {
	switch f.Kind {
	case Decimal:
		sql += "::numeric"
	case TextList:
		sql += "::text[]"
	}
	if nulls && f.Default != "" {
		sql = fmt.Sprintf("coalesce(%s, %s)", sql, f.Default)
	}
	return sql
}

// classifyInserts sets the results of the rows with taken keys, in the database or by earlier
// rows of the batch, and returns the rows to insert.
func (t *Table) classifyInserts(ctx context.Context, tx pgx.Tx, b *Batch, rows []int) ([]int, error) {
	holders, err := t.findAllHolders(ctx, tx, b, rows)
	if err != nil {
		return nil, err
	}
	seen := make([]map[string]int, len(t.Keys))
	for k := range seen {
		seen[k] = make(map[string]int)
	}
	var fresh []int
	for _, i := range rows {
		b.Results[i] = Result{Outcome: rowwrite.Created}
		if rowErr, ok := t.conflictError(b, i, holders, seen); ok {
			b.reject(i, rowErr)
			continue
		}
		if err := t.displace(ctx, tx, b, i, holders); err != nil {
			return nil, err
		}
		for k := range t.Keys {
			if v, ok := t.keyValue(b, k, i); ok {
				seen[k][v] = i
			}
		}
		fresh = append(fresh, i)
	}
	return fresh, nil
}

// findAllHolders looks up the current holders of the rows' keys. If a row is excluded by one key,
// its other keys are not looked up.
func (t *Table) findAllHolders(ctx context.Context, tx pgx.Tx, b *Batch, rows []int) ([]map[int]keyHolder, error) {
	holders := make([]map[int]keyHolder, len(t.Keys))
	for k := range t.Keys {
		found, err := t.findHolders(ctx, tx, b, t.Keys[k], rows)
		if err != nil {
			return nil, err
		}
		holders[k] = found
		rows = slices.DeleteFunc(slices.Clone(rows), func(i int) bool {
			h, ok := found[i]
			return ok && !h.laterThan(b, i)
		})
	}
	return holders, nil
}

// conflictError returns the error of a row with a key that belongs to another entity.
func (t *Table) conflictError(b *Batch, i int, holders []map[int]keyHolder, seen []map[string]int) (rowwrite.Error, bool) {
	for k, key := range t.Keys {
		column := t.keyColumn(b, k)
		v, ok := t.keyValue(b, k, i)
		if !ok {
			continue
		}
		if first, ok := seen[k][v]; ok {
			return duplicateError(key.Field, column.Display(i), b.Row(first)), true
		}
		h, ok := holders[k][i]
		switch {
		case !ok || h.laterThan(b, i):
		case h.jobKey == b.JobKey:
			return duplicateError(key.Field, column.Display(i), h.row), true
		default:
			return rowwrite.Error{
				Field: key.Field, Code: problem.AlreadyExists, Value: column.Display(i),
				Message: "An entry with this value already exists.",
			}, true
		}
	}
	return rowwrite.Error{}, false
}

// displace removes the entities of later rows of the same file that have a key of row i: they
// were written first only because chunks run concurrently.
func (t *Table) displace(ctx context.Context, tx pgx.Tx, b *Batch, i int, holders []map[int]keyHolder) error {
	for k, key := range t.Keys {
		h, ok := holders[k][i]
		if !ok || !h.laterThan(b, i) || b.isDisplaced(h.row) {
			continue
		}
		sql := fmt.Sprintf("DELETE FROM %s WHERE organisation_id = $1 AND source_job = $2 AND source_row = $3 AND %s = %s", t.Name,
			key.uniqueExpr(b.Declaration.Fields[b.Declaration.FieldIndex(key.Field)].Column), key.uniqueExpr("$4"))
		column := t.keyColumn(b, k)
		one := column.Pick([]int{i})
		v, _ := one.Bytes(0)
		_, err := Exec(ctx, tx, sql, []Param{
			Int64Param(b.Organisation), Int64Param(b.JobKey), Int64Param(h.row), {oid: column.kind.elementOID(), value: v},
		})
		if err != nil {
			return fmt.Errorf("displace row %d: %w", h.row, err)
		}
		b.Displaced = append(b.Displaced, Displaced{Row: h.row, Err: duplicateError(key.Field, column.Display(i), b.Row(i))})
	}
	return nil
}

func (b *Batch) isDisplaced(row int64) bool {
	for _, d := range b.Displaced {
		if d.Row == row {
			return true
		}
	}
	return false
}

func duplicateError(field, value string, row int64) rowwrite.Error {
	return rowwrite.Error{
		Field: field, Code: problem.RowDuplicate, Value: value,
		Message: fmt.Sprintf("Row %d of this file has the same value.", row),
	}
}
