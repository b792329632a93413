package entity

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// upsert writes each row to the entity that its first non-empty key names. The result is the same
// as with one statement per row, in file order.
func (t *Table) upsert(ctx context.Context, tx pgx.Tx, b *Batch, rows []int) error {
	rows = t.rejectUnidentified(b, rows)
	if len(rows) == 0 {
		return nil
	}
	rows, err := b.FilterUnchanged(rows, func(rows []int) (map[int]bool, error) { return t.findUnchanged(ctx, tx, b, rows) })
	if err != nil || len(rows) == 0 {
		return err
	}
	if groups, ok := t.groupPerRow(b, rows); ok {
		// Each row is an entity of its own, so one statement is equivalent to one statement per
		// row: unless it violates a unique index, no lookup is needed.
		err := Savepoint(ctx, tx, func(tx pgx.Tx) error { return t.upsertGroups(ctx, tx, b, groups) })
		if err == nil || !IsUniqueViolation(err) {
			return err
		}
	}
	for attempt := 0; ; attempt++ {
		steps, err := t.classifyUpserts(ctx, tx, b, rows)
		if err != nil {
			return err
		}
		err = Savepoint(ctx, tx, func(tx pgx.Tx) error {
			for _, s := range steps {
				t.sortForLocking(b, s.groups)
				if err := t.upsertGroups(ctx, tx, b, s.groups); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil || !IsUniqueViolation(err) || attempt == maxAttempts {
			return err
		}
	}
}

// rejectUnidentified rejects the rows without a key and returns the others.
func (t *Table) rejectUnidentified(b *Batch, rows []int) []int {
	kept := make([]int, 0, len(rows))
	for _, i := range rows {
		if t.firstKey(b, i) < len(t.Keys) {
			b.Results[i] = Result{Outcome: rowwrite.Updated}
			kept = append(kept, i)
			continue
		}
		b.reject(i, rowwrite.Error{Field: t.Keys[0].Field, Code: problem.CellRequired, Message: "The row has no value that identifies an entry."})
	}
	return kept
}

// firstKey returns the index of the first key with a value in row i; len(t.Keys) for none.
func (t *Table) firstKey(b *Batch, i int) int {
	for k := range t.Keys {
		if _, ok := t.keyColumn(b, k).Bytes(i); ok {
			return k
		}
	}
	return len(t.Keys)
}

// group holds the rows of a batch, in file order, that are written to one entity together. All
// of them name the entity by the same key.
type group struct {
	key  int
	rows []int
}

func (g *group) first() int { return g.rows[0] }
func (g *group) last() int  { return g.rows[len(g.rows)-1] }

// sortForLocking sorts groups that may be written in any order into the order that all concurrent
// writers of the same entities use, so that they do not deadlock.
func (t *Table) sortForLocking(b *Batch, groups []group) {
	slices.SortFunc(groups, func(x, y group) int {
		if x.key != y.key {
			return x.key - y.key
		}
		v, _ := t.keyValue(b, x.key, x.last())
		w, _ := t.keyValue(b, y.key, y.last())
		return strings.Compare(v, w)
	})
}

// groupPerRow returns a group for each row, in file order, if all rows name different entities by
// the same key.
func (t *Table) groupPerRow(b *Batch, rows []int) ([]group, bool) {
	k := t.firstKey(b, rows[0])
	seen := make(map[string]struct{}, len(rows))
	groups := make([]group, len(rows))
	for place, i := range rows {
		if t.firstKey(b, i) != k {
			return nil, false
		}
		v, _ := t.keyValue(b, k, i)
		if _, ok := seen[v]; ok {
			return nil, false
		}
		seen[v] = struct{}{}
		groups[place] = group{key: k, rows: rows[place : place+1]}
	}
	return groups, true
}
