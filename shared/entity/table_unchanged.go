package entity

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// KeyFields returns the names of the fields that are keys.
func (t *Table) KeyFields() []string {
	names := make([]string, len(t.Keys))
	for k := range t.Keys {
		names[k] = t.Keys[k].Field
	}
	return names
}

// RowKeys calls found with the keys of row i, in their unique form, and returns the index of the
// key by which the row names its entity.
func (t *Table) RowKeys(b *Batch, i int, found func(key int, value string)) (by int) {
	for k := range t.Keys {
		if v, ok := t.keyValue(b, k, i); ok {
			found(k, v)
		}
	}
	return t.firstKey(b, i)
}

// findUnchanged returns the rows, by index in b, whose entities already have all of their values.
// All rows name their entities by the same key; other rows are never unique.
func (t *Table) findUnchanged(ctx context.Context, tx pgx.Tx, b *Batch, rows []int) (map[int]bool, error) {
	part := b.subset(rows)
	k := t.firstKey(part, 0)
	params := []Param{Int64Param(b.Organisation)}
	within := t.contextCondition(b, &params)
	var arrays, aliases, equal []string
	for c := range part.Columns {
		f, column := &b.Declaration.Fields[c], &part.Columns[c]
		if !b.Mapped[c] || column.nulls == column.Len() {
			continue // no value: no change
		}
		params = append(params, ArrayParam(column))
		arrays = append(arrays, fmt.Sprintf("$%d::%s", len(params), f.Kind.ArrayType()))
		aliases = append(aliases, fmt.Sprintf("c%d", c))
		equal = append(equal, f.unchangedCondition("e."+f.Column, fmt.Sprintf("v.c%d", c), column.nulls > 0))
	}
	key := b.Declaration.FieldIndex(t.Keys[k].Field)
	// LIMIT makes the planner use one index lookup for each row, as in findHolders.
	sql := fmt.Sprintf(`
		SELECT v.place
		FROM unnest(%s) WITH ORDINALITY AS v(%s, place)
		CROSS JOIN LATERAL (
			SELECT %s AS same
			FROM %s AS e
			WHERE e.organisation_id = $1%s AND %s = %s
			LIMIT 1
		) AS e
		WHERE e.same`,
		strings.Join(arrays, ", "), strings.Join(aliases, ", "), strings.Join(equal, " AND "), t.Name, within,
		t.Keys[k].uniqueExpr("e."+b.Declaration.Fields[key].Column), t.Keys[k].uniqueExpr(fmt.Sprintf("v.c%d", key)))
	same := make(map[int]bool)
	_, err := Query(ctx, tx, sql, params, func(v [][]byte) error {
		same[rows[Int64(v[0])-1]] = true
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("compare with %s: %w", t.Name, err)
	}
	return same, nil
}

// unchangedCondition returns the SQL condition that a column already has the value of the row.
func (f *Field) unchangedCondition(column, value string, nulls bool) string {
	equal := fmt.Sprintf("%s = %s", column, f.insertExpr(value, false))
	if nulls {
		return fmt.Sprintf("(%s IS NULL OR %s)", value, equal)
	}
	return equal
}
