package history

import (
	"maps"
	"slices"
	"strings"
)

// PlannedRow is a planned row: its outcome and its changes.
type PlannedRow struct {
	Row     Row
	Outcome Outcome
	changes []plannedChange
	// unchanged is an entity that the row repeats without a change: it must exist, like the entities
	// that change.
	unchanged Key
}

// plannedChange is a previewed change of one entity.
type plannedChange struct {
	key           Key
	created       bool
	before, after map[string]string // changed values by column
}

// Plan returns the effects of rows of a part of a job's file, without applying them.
func (w *Model) Plan(j *Job, t *Table, rows []Row) []PlannedRow {
	stage, rehearsal := w.clone(), &Job{Name: j.Name, Upsert: j.Upsert}
	stage.beginTransaction(rehearsal)
	out := make([]PlannedRow, len(rows))
	for i, r := range rows {
		before := stage.values()
		about := stage.membershipOf(t, r)
		if out[i] = (PlannedRow{Row: r, Outcome: stage.writeRow(rehearsal, t, r)}); out[i].Outcome.writes() {
			out[i].unchanged = about
		}
		out[i].changes = stage.changesSince(before)
	}
	return out
}

// placeholderIDs is the offset of placeholder ids in a clone. It exceeds the number of ids that a
// clone needs, so that none refers to two entities.
const placeholderIDs = 1000

// clone returns a copy in which changes do not affect the original.
func (w *Model) clone() *Model {
	c := &Model{tables: w.tables, order: w.order, entities: make(map[Key]*Entity, len(w.entities)), generatedIDs: w.generatedIDs}
	w.generatedIDs += placeholderIDs
	for key, e := range w.entities {
		other := *e
		other.fields, other.sourceRows, other.createdBy = make(map[string][]*layer), maps.Clone(e.sourceRows), nil
		for column, pile := range e.fields {
			other.fields[column] = slices.Clone(pile)
		}
		c.entities[key] = &other
	}
	return c
}

// values returns the values of all entities, except times.
func (w *Model) values() map[Key]map[string]string {
	all := make(map[Key]map[string]string)
	for _, e := range w.Entities() {
		all[e.Key] = make(map[string]string)
		for i := range e.table.Columns {
			if c := &e.table.Columns[i]; !c.Timestamp {
				all[e.Key][c.Name] = e.Value(c.Name)
			}
		}
	}
	return all
}

// membershipOf returns the membership that a row repeats, if there is one.
func (w *Model) membershipOf(t *Table, r Row) (key Key) {
	if t.Name != Memberships {
		return key
	}
	if _, m := w.findMember(r.Values["person identity_key"]); m != nil {
		key = m.Key
	}
	return key
}

// unchangedExists reports whether the entity that the row repeats exists. Entities created by the
// file itself count as existing.
func (w *Model) unchangedExists(p *PlannedRow) bool {
	return p.unchanged == Key{} || isPlaceholder(p.unchanged.ID) || w.Get(p.unchanged) != nil
}

// changesSince returns the changes since these values.
func (w *Model) changesSince(before map[Key]map[string]string) (changes []plannedChange) {
	now := w.values()
	for _, e := range w.Entities() {
		was, there := before[e.Key]
		c := plannedChange{key: e.Key, created: !there, before: make(map[string]string), after: make(map[string]string)}
		for column, v := range now[e.Key] {
			if !there || was[column] != v {
				c.before[column], c.after[column] = was[column], v
			}
		}
		if len(c.after) > 0 {
			changes = append(changes, c)
		}
	}
	return changes
}

// IsStale reports whether the entities that a row would change have changed since it was planned.
func (w *Model) IsStale(p *PlannedRow) bool {
	return !w.isCurrent(p) || slices.ContainsFunc(p.changes, func(c plannedChange) bool { return c.created && !w.isFree(&c) })
}

// isCurrent reports whether the entities that a row would change exist and have the planned
// previous values in the changed columns.
func (w *Model) isCurrent(p *PlannedRow) bool {
	return w.unchangedExists(p) && !slices.ContainsFunc(p.changes, func(c plannedChange) bool {
		if c.created {
			return false
		}
		e := w.Get(c.key)
		if e == nil {
			return true
		}
		for column, v := range c.before {
			if e.Value(column) != v {
				return true
			}
		}
		return false
	})
}

// Apply writes planned rows of a part in one transaction. The entities must be unchanged since the
// plan or, with overwrite, at least exist.
func (w *Model) Apply(j *Job, rows []PlannedRow, overwrite bool) []Outcome {
	w.beginTransaction(j)
	outcomes := make([]Outcome, len(rows))
	held := make([]bool, len(rows))
	for i := range rows {
		held[i] = overwrite || w.isCurrent(&rows[i])
	}
	for i := range rows {
		p := &rows[i]
		if outcomes[i] = p.Outcome; p.Outcome.writes() && !(held[i] && w.canApply(p)) {
			outcomes[i] = Skipped
		} else if p.Outcome.writes() {
			w.applyPlanned(j, p)
		}
	}
	return outcomes
}

// writes reports whether a row with this outcome changes anything.
func (o Outcome) writes() bool { return o == Created || o == Updated }

// canApply reports whether all changes of a row can be applied as previewed.
func (w *Model) canApply(p *PlannedRow) bool {
	if !w.unchangedExists(p) {
		return false
	}
	for i := range p.changes {
		c := &p.changes[i]
		e := w.Get(c.key)
		if c.created && !w.isFree(c) || !c.created && e == nil {
			return false
		}
		for column, v := range c.after {
			of := w.tables[c.key.Table].column(column)
			h := w.holder(w.tables[c.key.Table], column, v)
			if !c.created && of.isUnique() && h != nil && h != e {
				return false
			}
			if of.Parent != "" && !isPlaceholder(v) && w.Get(Key{of.Parent, v}) == nil {
				return false
			}
		}
	}
	return true
}

// isPlaceholder reports whether an id is a placeholder for an unknown one.
func isPlaceholder(id string) bool { return strings.HasPrefix(id, "?") }

// isFree reports whether the unique values of an entity to be created are free.
func (w *Model) isFree(c *plannedChange) bool {
	t := w.tables[c.key.Table]
	return (isPlaceholder(c.key.ID) || w.Get(c.key) == nil) && !slices.ContainsFunc(t.Columns, func(of Column) bool {
		return of.isUnique() && w.holder(t, of.Name, c.after[of.Name]) != nil
	})
}

func (w *Model) applyPlanned(j *Job, p *PlannedRow) {
	ids := make(map[string]string) // actual ids of created entities by planned id
	for i := range p.changes {
		c := &p.changes[i]
		after := maps.Clone(c.after)
		for column, v := range after {
			if id, ok := ids[v]; ok && w.tables[c.key.Table].column(column).Parent != "" {
				after[column] = id
			}
		}
		e := w.Get(c.key)
		switch {
		case !c.created:
		case isPlaceholder(c.key.ID):
			e = w.addGenerated(j, w.tables[c.key.Table], after)
			ids[c.key.ID] = e.Key.ID
		default:
			e = w.add(j, w.tables[c.key.Table], after)
		}
		e.applyValues(j, p.Row.Number, after)
	}
	j.noteWritten(w.findMember(p.Row.Values["person identity_key"]))
}

// applyValues sets values of a row in an entity.
func (e *Entity) applyValues(j *Job, row int64, values map[string]string) {
	if e.writer != j {
		e.writer, e.sourceRows = j, make(map[string]int64)
	}
	j.effectOn(e).written = true
	for column, v := range values {
		if e.sourceRows[column] = row; e.Value(column) != v {
			e.addLayer(j, column, v)
		}
	}
}
