package entity

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// KeyFields are the names of the fields that are keys.
func (t *Table) KeyFields() []string {
	names := make([]string, len(t.Keys))
	for k := range t.Keys {
		names[k] = t.Keys[k].Field
	}
	return names
}

// RowKeys calls found with the keys that row i gives, as they are unique, and returns by
// which of them it names its entity.
func (t *Table) RowKeys(b *Batch, i int, found func(key int, value string)) (by int) {
	for k := range t.Keys {
		if v, ok := t.keyValue(b, k, i); ok {
			found(k, v)
		}
	}
	return t.firstKey(b, i)
}

// findUnchanged returns which of the rows, by place in b, give their entities nothing that these
// do not have. All of the rows name entities by the same key: others are never alone.
func (t *Table) findUnchanged(ctx context.Context, tx pgx.Tx, b *Batch, rows []int) (map[int]bool, error) {
	part := b.subset(rows)
	k := t.firstKey(part, 0)
	params := []Param{Int64Param(b.Organisation)}
	within := t.contextCondition(b, &params)
	var arrays, aliases, equal []string
	for c := range part.Columns {
		f, column := &b.Declaration.Fields[c], &part.Columns[c]
		if !b.Mapped[c] || column.nulls == column.Len() {
			continue // no value, which changes nothing
		}
		params = append(params, ArrayParam(column))
		arrays = append(arrays, fmt.Sprintf("$%d::%s", len(params), f.Kind.ArrayType()))
		aliases = append(aliases, fmt.Sprintf("c%d", c))
		equal = append(equal, f.unchangedCondition("e."+f.Column, fmt.Sprintf("v.c%d", c), column.nulls > 0))
	}
	key := b.Declaration.FieldIndex(t.Keys[k].Field)
	// LIMIT keeps the planner at one look into the index for each row, as in holders.
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

// unchangedCondition is the SQL condition that a column has the value that a row gives its field.
func (f *Field) unchangedCondition(column, value string, nulls bool) string {
	equal := fmt.Sprintf("%s = %s", column, f.insertExpr(value, false))
	if nulls {
		return fmt.Sprintf("(%s IS NULL OR %s)", value, equal)
	}
	return equal
}
