package entity

import (
	"bytes"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// keyHolder is the entity that currently has a key, and its source.
type keyHolder struct {
	jobKey, row int64  // row is the row that gave the entity the key; 0 if no row of jobKey did
	firstKey    []byte // value of the first key; nil for none
}

// laterThan reports whether the holder was written by a row of b's file that comes after row i.
func (h keyHolder) laterThan(b *Batch, i int) bool { return h.jobKey == b.JobKey && h.row > b.Row(i) }

func (t *Table) keyColumn(b *Batch, k int) *Column {
	return &b.Columns[b.Declaration.FieldIndex(t.Keys[k].Field)]
}

// keyValue returns the value of key k in row i, in the form in which it is unique; ok is false if
// there is none.
func (t *Table) keyValue(b *Batch, k, i int) (v string, ok bool) {
	raw, ok := t.keyColumn(b, k).Bytes(i)
	if ok && t.Keys[k].CaseInsensitive {
		raw = bytes.ToLower(raw)
	}
	return string(raw), ok
}

// uniqueExpr returns the SQL of the unique form of a key's value.
func (k Key) uniqueExpr(value string) string {
	if k.CaseInsensitive {
		return "lower(" + value + ")"
	}
	return value
}

// contextCondition returns the SQL condition that e belongs to the batch's context, and appends the
// context's id to the parameters; "" for tables without a context.
func (t *Table) contextCondition(b *Batch, params *[]Param) string {
	if t.Context == "" {
		return ""
	}
	*params = append(*params, Int64Param(b.Context))
	return fmt.Sprintf(" AND e.%s = $%d", t.Context, len(*params))
}

// findHolders looks up the holders of the rows' values of a key in one query. The result is by
// index in b.
func (t *Table) findHolders(ctx context.Context, tx pgx.Tx, b *Batch, key Key, rows []int) (map[int]keyHolder, error) {
	field := b.Declaration.FieldIndex(key.Field)
	column := &b.Columns[field]
	found := make(map[int]keyHolder)
	if len(rows) == 0 || column.nulls == column.Len() {
		return found, nil
	}
	if len(rows) < b.Len() {
		part := column.Pick(rows)
		column = &part
	}
	self := t.Keys[0].uniqueExpr("e." + b.Declaration.Fields[b.Declaration.FieldIndex(t.Keys[0].Field)].Column)
	params := []Param{ArrayParam(column), Int64Param(b.Organisation)}
	// LIMIT makes the planner use one index lookup for each row: with many rows it would
	// otherwise read the whole table for every chunk.
	sql := fmt.Sprintf(`
		SELECT v.place, e.source, e.row, e.self
		FROM unnest($1::%s) WITH ORDINALITY AS v(k, place)
		CROSS JOIN LATERAL (
			SELECT coalesce(e.source_job, 0) AS source, coalesce(e.source_cells[%d], e.source_row, 0) AS row, %s AS self
			FROM %s AS e
			WHERE e.organisation_id = $2%s AND %s = %s
			LIMIT 1
		) AS e`,
		column.kind.ArrayType(), field+1, self, t.Name, t.contextCondition(b, &params), key.uniqueExpr("e."+b.Declaration.Fields[field].Column), key.uniqueExpr("v.k"))
	_, err := Query(ctx, tx, sql, params, func(v [][]byte) error {
		found[rows[Int64(v[0])-1]] = keyHolder{jobKey: Int64(v[1]), row: Int64(v[2]), firstKey: bytes.Clone(v[3])}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look up %s.%s: %w", t.Name, key.Field, err)
	}
	return found, nil
}
