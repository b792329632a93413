package history

import (
	"maps"
	"slices"
	"strings"
)

// Planned is a row that was rehearsed: what would come of it, and what it would change.
type Planned struct {
	Row     Row
	Outcome Outcome
	changes []planned
	// about is an entity that the row says again without giving it another value: it has to be
	// there, as much as those that change.
	about Key
}

// planned is a change of one entity that somebody was shown.
type planned struct {
	key           Key
	made          bool
	before, after map[string]string // by column, those that change
}

// Rehearse says what rows of a part of a job's file would do, and does nothing.
func (w *World) Rehearse(j *Job, t *Table, rows []Row) []Planned {
	stage, rehearsal := w.clone(), &Job{Name: j.Name, Upsert: j.Upsert}
	stage.begin(rehearsal)
	out := make([]Planned, len(rows))
	for i, r := range rows {
		before := stage.values()
		about := stage.membershipOf(t, r)
		if out[i] = (Planned{Row: r, Outcome: stage.write(rehearsal, t, r)}); out[i].Outcome.writes() {
			out[i].about = about
		}
		out[i].changes = stage.since(before)
	}
	return out
}

// unmetIDs are more than what happens in a clone needs: none of them means two entities.
const unmetIDs = 1000

// clone is a world in which something can happen without anything happening in this one.
func (w *World) clone() *World {
	c := &World{tables: w.tables, order: w.order, entities: make(map[Key]*Entity, len(w.entities)), drawn: w.drawn}
	w.drawn += unmetIDs
	for key, e := range w.entities {
		other := *e
		other.fields, other.givers, other.made = make(map[string][]*layer), maps.Clone(e.givers), nil
		for column, pile := range e.fields {
			other.fields[column] = slices.Clone(pile)
		}
		c.entities[key] = &other
	}
	return c
}

// values are what all entities show, but for times.
func (w *World) values() map[Key]map[string]string {
	all := make(map[Key]map[string]string)
	for _, e := range w.Entities() {
		all[e.Key] = make(map[string]string)
		for i := range e.table.Columns {
			if c := &e.table.Columns[i]; !c.Clock {
				all[e.Key][c.Name] = e.Value(c.Name)
			}
		}
	}
	return all
}

// membershipOf is the membership that a row says again, if there is one.
func (w *World) membershipOf(t *Table, r Row) (key Key) {
	if t.Name != Memberships {
		return key
	}
	if _, m := w.known(r.Given["person identity_key"]); m != nil {
		key = m.Key
	}
	return key
}

// there reports whether what the row says again is there; what the file itself makes will be.
func (w *World) there(p *Planned) bool {
	return p.about == Key{} || unmet(p.about.ID) || w.Get(p.about) != nil
}

// since are the changes since there were these values.
func (w *World) since(before map[Key]map[string]string) (changes []planned) {
	now := w.values()
	for _, e := range w.Entities() {
		was, there := before[e.Key]
		c := planned{key: e.Key, made: !there, before: make(map[string]string), after: make(map[string]string)}
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

// Stale reports whether what a row would change is not what it was when it was rehearsed.
func (w *World) Stale(p *Planned) bool {
	return !w.holds(p) || slices.ContainsFunc(p.changes, func(c planned) bool { return c.made && !w.free(&c) })
}

// holds reports whether the entities that a row would change are there, and have the
// values that they had, in what it changes.
func (w *World) holds(p *Planned) bool {
	return w.there(p) && !slices.ContainsFunc(p.changes, func(c planned) bool {
		if c.made {
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

// Apply writes rows of a part as they were rehearsed, in one transaction. Whatever they
// would change must be as it was then or, to overwrite, at least be there.
func (w *World) Apply(j *Job, rows []Planned, overwrite bool) []Outcome {
	w.begin(j)
	outcomes := make([]Outcome, len(rows))
	held := make([]bool, len(rows))
	for i := range rows {
		held[i] = overwrite || w.holds(&rows[i])
	}
	for i := range rows {
		p := &rows[i]
		if outcomes[i] = p.Outcome; p.Outcome.writes() && !(held[i] && w.applies(p)) {
			outcomes[i] = Skipped
		} else if p.Outcome.writes() {
			w.apply(j, p)
		}
	}
	return outcomes
}

// writes reports whether a row with the outcome has changed something.
func (o Outcome) writes() bool { return o == Created || o == Updated }

// applies reports whether all that a row would change can be as it was shown.
func (w *World) applies(p *Planned) bool {
	if !w.there(p) {
		return false
	}
	for i := range p.changes {
		c := &p.changes[i]
		e := w.Get(c.key)
		if c.made && !w.free(c) || !c.made && e == nil {
			return false
		}
		for column, v := range c.after {
			of := w.tables[c.key.Table].column(column)
			h := w.holder(w.tables[c.key.Table], column, v)
			if !c.made && of.once() && h != nil && h != e {
				return false
			}
			if of.Parent != "" && !unmet(v) && w.Get(Key{of.Parent, v}) == nil {
				return false
			}
		}
	}
	return true
}

// unmet reports whether an id stands for one that is not known yet.
func unmet(id string) bool { return strings.HasPrefix(id, "?") }

// free reports whether nothing else has what may be there once of an entity that is to be made.
func (w *World) free(c *planned) bool {
	t := w.tables[c.key.Table]
	return (unmet(c.key.ID) || w.Get(c.key) == nil) && !slices.ContainsFunc(t.Columns, func(of Column) bool {
		return of.once() && w.holder(t, of.Name, c.after[of.Name]) != nil
	})
}

func (w *World) apply(j *Job, p *Planned) {
	ids := make(map[string]string) // of what is made, by those that it was rehearsed with
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
		case !c.made:
		case unmet(c.key.ID):
			e = w.addDrawn(j, w.tables[c.key.Table], after)
			ids[c.key.ID] = e.Key.ID
		default:
			e = w.add(j, w.tables[c.key.Table], after)
		}
		e.given(j, p.Row.Number, after)
	}
	j.writtenToBoth(w.known(p.Row.Given["person identity_key"]))
}

// given gives an entity values of a row.
func (e *Entity) given(j *Job, row int64, values map[string]string) {
	if e.writer != j {
		e.writer, e.givers = j, make(map[string]int64)
	}
	j.effectOn(e).written = true
	for column, v := range values {
		if e.givers[column] = row; e.Value(column) != v {
			e.give(j, column, v)
		}
	}
}
