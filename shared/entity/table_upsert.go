package entity

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/problem"
)

// upsert writes each row to the entity that its first given key names. Rows
// with the first key and rows without it are two statements.
func (t *Table) upsert(ctx context.Context, tx pgx.Tx, b *Batch, rows []int) error {
	for k := range t.Keys {
		var mine, rest []int
		for _, i := range rows {
			if _, ok := t.keyColumn(b, k).Bytes(i); ok {
				mine = append(mine, i)
			} else {
				rest = append(rest, i)
			}
		}
		if err := t.upsertBy(ctx, tx, b, k, mine); err != nil {
			return err
		}
		rows = rest
	}
	for _, i := range rows {
		b.reject(i, Fault{Field: t.Keys[0].Field, Code: problem.CellRequired, Message: "The row has no value that identifies an entry."})
	}
	return nil
}

// upsertBy writes rows that are recognised by key k.
func (t *Table) upsertBy(ctx context.Context, tx pgx.Tx, b *Batch, k int, rows []int) error {
	for attempt := 0; len(rows) > 0; attempt++ {
		groups, err := t.decideUpsert(ctx, tx, b, k, rows)
		if err != nil {
			return err
		}
		err = Savepoint(ctx, tx, func(tx pgx.Tx) error { return t.merge(ctx, tx, b, k, groups) })
		if err == nil || !isUniqueViolation(err) || attempt == maxAttempts {
			return err
		}
	}
	return nil
}

// group is the rows of a batch for one entity. The last is written; if that
// makes a new entity, the first is the one that created it.
type group struct{ first, last int }

// decideUpsert rejects rows that claim another entity's other key, and groups
// the others by entity, in file order.
func (t *Table) decideUpsert(ctx context.Context, tx pgx.Tx, b *Batch, k int, rows []int) ([]group, error) {
	taken := make([]map[int]holder, len(t.Keys))
	for other := range t.Keys {
		if other == k {
			continue
		}
		var err error
		if taken[other], err = t.holders(ctx, tx, b, t.Keys[other]); err != nil {
			return nil, err
		}
	}
	claimed := make([]map[string]int, len(t.Keys))
	for other := range claimed {
		claimed[other] = make(map[string]int)
	}
	var groups []group
	of := make(map[string]int, len(rows)) // key → place in groups
	for _, i := range rows {
		b.Results[i] = Result{Outcome: Updated}
		self, _ := t.keyColumn(b, k).Bytes(i)
		if fault, ok := t.claim(b, k, i, string(self), taken, claimed); ok {
			b.reject(i, fault)
			continue
		}
		g, ok := of[string(self)]
		if !ok {
			of[string(self)] = len(groups)
			groups = append(groups, group{first: i, last: i})
			continue
		}
		b.Results[groups[g].last].Faults = append(b.Results[groups[g].last].Faults, superseded(b.Row(i)))
		groups[g].last = i
	}
	return groups, nil
}

// superseded warns that a later row has written the same entity.
func superseded(by int64) Fault {
	return Fault{Code: problem.WarnSuperseded, Message: fmt.Sprintf("Row %d of this file has written the same entry later.", by)}
}

// claim notes the other keys of row i as its own, or returns why it cannot
// have one of them.
func (t *Table) claim(b *Batch, k, i int, self string, taken []map[int]holder, claimed []map[string]int) (Fault, bool) {
	for other, key := range t.Keys {
		column := t.keyColumn(b, other)
		v, ok := column.Bytes(i)
		if other == k || !ok {
			continue
		}
		// A holder's own value of the first key tells whether it is this entity;
		// rows recognised by a later key have no value of the first.
		if h, ok := taken[other][i]; ok && k == 0 && string(h.self) != self {
			return Fault{
				Field: key.Field, Code: problem.AlreadyExists, Value: column.display(i),
				Message: "Another entry has this value already.",
			}, true
		}
		if first, ok := claimed[other][string(v)]; ok {
			if of, _ := t.keyColumn(b, k).Bytes(first); string(of) != self {
				return duplicate(key.Field, column.display(i), b.Row(first)), true
			}
		}
		claimed[other][string(v)] = i
	}
	return Fault{}, false
}

// merge inserts or updates one row a group and sets which of the two was done.
func (t *Table) merge(ctx context.Context, tx pgx.Tx, b *Batch, k int, groups []group) error {
	if len(groups) == 0 {
		return nil
	}
	places := make([]int, len(groups))
	for g := range groups {
		places[g] = groups[g].last
	}
	// Groups are in the order of their first rows; the statement wants file order.
	slices.Sort(places)
	part := b.subset(places)
	sql, params := t.insertSQL(part)
	set, params := t.assignments(part, params)
	sql += fmt.Sprintf(`
		ON CONFLICT (organisation_id, %s) DO UPDATE SET %s
		WHERE e.source_job IS DISTINCT FROM excluded.source_job OR e.source_row <= excluded.source_row
		RETURNING source_row, (xmax = 0)::int::int8`,
		b.Declaration.Fields[b.Declaration.FieldIndex(t.Keys[k].Field)].Column, set)
	inserted := make(map[int64]bool, len(places)) // row → whether it made the entity; absent: it was not written
	_, err := Query(ctx, tx, sql, params, func(v [][]byte) error {
		inserted[Int64(v[0])] = Int64(v[1]) == 1
		return nil
	})
	if err != nil {
		return err
	}
	for _, g := range groups {
		made, written := inserted[b.Row(g.last)]
		if made {
			b.Results[g.first].Outcome = Created
		}
		if !written {
			b.Results[g.last].Faults = append(b.Results[g.last].Faults, Fault{
				Code: problem.WarnSuperseded, Message: "A later row of this file had written the same entry already.",
			})
		}
	}
	return nil
}

// assignments is the SET list: given values replace, empty cells change nothing.
func (t *Table) assignments(b *Batch, params []Param) (string, []Param) {
	set := []string{"source_job = excluded.source_job", "source_row = excluded.source_row"}
	if t.Touched != "" && !b.mapsColumn(t.Touched) {
		set = append(set, t.Touched+" = now()")
	}
	for i := range b.Declaration.Fields {
		if !b.Mapped[i] {
			continue
		}
		name := b.Declaration.Fields[i].Column
		if b.Columns[i].nulls == 0 {
			set = append(set, fmt.Sprintf("%[1]s = excluded.%[1]s", name))
			continue
		}
		// excluded holds the field's default where the cell was empty, so the
		// rows with empty cells are named.
		empty := NewColumn(Integer, b.Columns[i].nulls)
		for row := range b.Len() {
			if _, ok := b.Columns[i].Bytes(row); !ok {
				empty.AppendInt64(b.Row(row))
			}
		}
		params = append(params, ArrayParam(&empty))
		set = append(set, fmt.Sprintf("%[1]s = CASE WHEN excluded.source_row = ANY ($%[2]d) THEN e.%[1]s ELSE excluded.%[1]s END", name, len(params)))
	}
	return strings.Join(set, ", "), params
}

func (b *Batch) mapsColumn(name string) bool {
	for i := range b.Declaration.Fields {
		if b.Declaration.Fields[i].Column == name {
			return b.Mapped[i]
		}
	}
	return false
}
