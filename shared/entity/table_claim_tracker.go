package entity

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// step is a set of rows that can be written together, in any order: no entity in it takes a key
// that another entity in it had. Batches consist of one step unless keys move between entities.
type step struct {
	groups  []group
	groupOf map[string]int // entity → index in groups
}

// claimTracker follows, row by row, which entity has which value of each key except the first:
// the state of the database if each row were written before the next one is checked.
//
// An entity is identified by its value of the first key. An entity that is new to the database
// and has only a later key is identified by that.
type claimTracker struct {
	table     *Table
	batch     *Batch
	holders   []map[int]keyHolder   // by key and index: holder of the row's value before the batch
	claimants []map[string]claimant // by key and value: entity that took it last
	current   []map[string]string   // by key and entity: value that it took last
	last      map[string]int        // by entity: its last row
	steps     []step
}

// claimant is an entity that takes a value of a key, and the row that assigns it.
type claimant struct {
	entity string
	row    int
}

// classifyUpserts rejects rows that claim a key which belongs to another entity at that point, and
// returns the steps for the others.
func (t *Table) classifyUpserts(ctx context.Context, tx pgx.Tx, b *Batch, rows []int) ([]step, error) {
	c := &claimTracker{
		table: t, batch: b, last: make(map[string]int), steps: []step{{groupOf: make(map[string]int)}},
		holders: make([]map[int]keyHolder, len(t.Keys)), claimants: make([]map[string]claimant, len(t.Keys)), current: make([]map[string]string, len(t.Keys)),
	}
	for k := range t.Keys {
		c.claimants[k], c.current[k] = make(map[string]claimant), make(map[string]string)
		if k == 0 {
			continue
		}
		var err error
		if c.holders[k], err = t.findHolders(ctx, tx, b, t.Keys[k], rows); err != nil {
			return nil, err
		}
	}
	for _, i := range rows {
		c.addRow(i)
	}
	return c.steps, nil
}

// addRow classifies row i.
func (c *claimTracker) addRow(i int) {
	b := c.batch
	b.Results[i] = Result{Outcome: rowwrite.Updated}
	k := c.table.firstKey(b, i)
	entity := c.entityNamedBy(k, i)
	for other := 1; other < len(c.table.Keys); other++ {
		if rowErr, ok := c.conflictError(other, i, entity); ok {
			b.reject(i, rowErr)
			return
		}
	}
	s := c.stepFor(k, i, entity)
	for other := 1; other < len(c.table.Keys); other++ {
		if v, ok := c.table.keyValue(b, other, i); ok {
			c.claimants[other][v] = claimant{entity, i}
			c.current[other][entity] = v
		}
	}
	if earlier, ok := c.last[entity]; ok {
		b.Results[earlier].Errors = append(b.Results[earlier].Errors, supersededWarning(b.Row(i)))
	}
	c.last[entity] = i
	if g, ok := s.groupOf[entity]; ok {
		s.groups[g].rows = append(s.groups[g].rows, i)
		return
	}
	s.groupOf[entity] = len(s.groups)
	s.groups = append(s.groups, group{key: k, rows: []int{i}})
}

// entityNamedBy returns the entity that row i names by key k.
func (c *claimTracker) entityNamedBy(k, i int) string {
	v, _ := c.table.keyValue(c.batch, k, i)
	if k > 0 {
		if entity, ok := c.ownerOf(k, i, v); ok {
			return entity
		}
	}
	return entityName(k, v)
}

func entityName(k int, v string) string { return strconv.Itoa(k) + ":" + v }

// ownerOf returns the entity that has row i's value of key k before row i is written.
func (c *claimTracker) ownerOf(k, i int, v string) (string, bool) {
	if holder, ok := c.claimants[k][v]; ok && c.current[k][holder.entity] == v {
		return holder.entity, true
	}
	h, ok := c.holders[k][i]
	if !ok {
		return "", false
	}
	entity := h.entityName(k, v)
	if now, changed := c.current[k][entity]; changed && now != v {
		return "", false
	}
	return entity, true
}

// entityName returns the name of the holder of value v of key k.
func (h *keyHolder) entityName(k int, v string) string {
	if h.firstKey == nil {
		return entityName(k, v)
	}
	return entityName(0, string(h.firstKey))
}

// conflictError returns the error of row i if its value of the key belongs to another entity.
func (c *claimTracker) conflictError(k, i int, entity string) (rowwrite.Error, bool) {
	column := c.table.keyColumn(c.batch, k)
	v, ok := c.table.keyValue(c.batch, k, i)
	if !ok {
		return rowwrite.Error{}, false
	}
	field := c.table.Keys[k].Field
	holder, ok := c.ownerOf(k, i, v)
	switch h := c.holders[k][i]; {
	case !ok || holder == entity:
		return rowwrite.Error{}, false
	case c.claimants[k][v].entity == holder:
		return duplicateError(field, column.Display(i), c.batch.Row(c.claimants[k][v].row)), true
	case h.jobKey == c.batch.JobKey && h.row > 0 && h.row < c.batch.Row(i):
		return duplicateError(field, column.Display(i), h.row), true
	default:
		return rowwrite.Error{
			Field: field, Code: problem.AlreadyExists, Value: column.Display(i),
			Message: "Another entry already has this value.",
		}, true
	}
}

// stepFor returns the step in which row i can be written: the current one, or a new one if an
// entity releases one of the row's keys in the current step, or if the row names its entity by
// another key than the rows before it.
func (c *claimTracker) stepFor(k, i int, entity string) *step {
	s := &c.steps[len(c.steps)-1]
	g, here := s.groupOf[entity]
	if here && s.groups[g].key != k || c.releasedInStep(s, i, entity) {
		c.steps = append(c.steps, step{groupOf: make(map[string]int)})
		s = &c.steps[len(c.steps)-1]
	}
	return s
}

// releasedInStep reports whether an entity in the step had one of row i's keys.
func (c *claimTracker) releasedInStep(s *step, i int, entity string) bool {
	for k := 1; k < len(c.table.Keys); k++ {
		v, ok := c.table.keyValue(c.batch, k, i)
		if !ok {
			continue
		}
		if holder, ok := c.claimants[k][v]; ok && holder.entity != entity {
			if _, here := s.groupOf[holder.entity]; here {
				return true
			}
		}
		if h, ok := c.holders[k][i]; ok && h.entityName(k, v) != entity {
			if _, here := s.groupOf[h.entityName(k, v)]; here {
				return true
			}
		}
	}
	return false
}

// supersededWarning warns that a later row has written the same entity.
func supersededWarning(row int64) rowwrite.Error {
	return rowwrite.Error{Code: problem.RowSuperseded, Message: fmt.Sprintf("Row %d of this file overwrites the same entry.", row)}
}
