// Package history is a model of what becomes of entities when imports write them, people
// edit them, and imports are undone: maps and lists, to which everything is applied one
// by one. It knows nothing of the product but the rules of docs/undo.md.
//
// A field is a pile of layers, one for each time that it was given another value. What
// it shows is the uppermost layer that is in force. To undo an import puts its layers out
// of force, wherever they lie: if others lie above, the field stays as it is, and what an
// import above has found there before it is now what lies below. To undo that again
// puts the undo out of force: the layers are back in force if no other undo holds. A time
// that the database gives is such a field; what imports give it is seen.
//
// Tested by shared/testing/simulation: every life is compared with it.
package history

import (
	"fmt"
	"maps"
	"slices"
)

// Key is an entity's table and id.
type Key struct{ Table, ID string }

// Job is an import or an undo.
type Job struct {
	Name    string
	Upsert  bool
	commits []commit
	// Displaced are rows that were written, and then gave way to earlier ones.
	Displaced []int64
	when      int // the last one, of all that there were
	undoes    bool
}

// commit is what one transaction of a job did, in order.
type commit []*effect

// effect is what a transaction did to one entity: what it gave or took back of fields, or
// that it made the entity, or removed it.
type effect struct {
	entity   *Entity
	acts     map[string][]*act // by column; under "" that it was to remove the entity
	made     bool
	removed  bool
	leftWith map[string]string // values of an entity that was made, as the transaction left them
	// dooms are acts of undos that were to remove the entity which was made, when somebody
	// had changed it: it goes once that is undone.
	dooms  []*doom
	when   int               // the transaction, of all that there were
	shifts map[string]*shift // by column
	// written says that an import has written the entity, though it may have given nothing.
	written bool
}

// shift is what a transaction made of a field.
type shift struct {
	before, after string
	left          string // what its acts alone would have made of it: later layers may hide that
	height        int    // of the pile, then
}

// seen reports whether the field showed something else afterwards.
func (s *shift) seen() bool { return s != nil && s.before != s.after }

// act is something that can be undone: a layer that was given, or the undoing of another act.
type act struct {
	layer *layer // which it puts in force or, as every undoing of such an act, out of force
	gives bool   // it puts it in force
	undos []*act // of it
}

// inForce reports whether nothing that is in force itself undoes the act.
func (a *act) inForce() bool {
	return !slices.ContainsFunc(a.undos, func(u *act) bool { return u.inForce() })
}

// undo returns the undoing of an act.
func (a *act) undo() *act {
	u := &act{layer: a.layer, gives: !a.gives}
	a.undos = append(a.undos, u)
	return u
}

// redo takes back the last undoing of the act: it has not come to be.
func (a *act) redo() { a.undos = a.undos[:len(a.undos)-1] }

// doomed reports whether an undo was to remove what was made, and met what another effect
// had made of it.
func (f *effect) doomed(by *effect) bool {
	return slices.ContainsFunc(f.dooms, func(d *doom) bool { return d.inForce() && d.when > by.when })
}

// doom is that an undo was to remove an entity.
type doom struct {
	act
	when int // the undo's transaction
}

// layer is a value that a field was given, by a job or by somebody else.
type layer struct {
	act
	job   *Job
	value string
}

// Entity is one that there is or was. One that is made again with the id of another is
// another entity, unless it is that one which comes back.
type Entity struct {
	Key    Key
	table  *Table
	fields map[string][]*layer
	there  bool

	writer *Job             // the import that wrote it last
	givers map[string]int64 // by column: the row of that import which gave the value
	made   []*effect        // by which it came
}

// World is all entities.
type World struct {
	tables   map[string]*Table
	order    []*Table
	entities map[Key]*Entity
	drawn    int // ids that stand for some which are not known yet
	moment   int // how many transactions there were
}

// New returns a world without entities.
func New() *World {
	w := &World{tables: make(map[string]*Table), order: Tables(), entities: make(map[Key]*Entity)}
	for _, t := range w.order {
		w.tables[t.Name] = t
	}
	return w
}

// Value is what a column shows.
func (e *Entity) Value(column string) string { return shown(e.fields[column]) }

// shown is the value of the uppermost layer that is in force.
func shown(pile []*layer) string {
	for _, l := range slices.Backward(pile) {
		if l.inForce() {
			return l.value
		}
	}
	return Null
}

// Get returns the entity if it is there, or nil.
func (w *World) Get(key Key) *Entity {
	if e := w.entities[key]; e != nil && e.there {
		return e
	}
	return nil
}

// Entities are those that are there, in order.
func (w *World) Entities() []*Entity {
	var all []*Entity
	for _, t := range w.order {
		for _, key := range slices.SortedFunc(maps.Keys(w.entities), cmpKey) {
			if e := w.Get(key); e != nil && key.Table == t.Name {
				all = append(all, e)
			}
		}
	}
	return all
}

func cmpKey(a, b Key) int {
	switch {
	case a.Table+" "+a.ID < b.Table+" "+b.ID:
		return -1
	case a == b:
		return 0
	}
	return 1
}

// holder is the entity that has a value which may be there once; nil if none has.
func (w *World) holder(t *Table, column, value string) *Entity {
	for key, e := range w.entities {
		if key.Table == t.Name && e.there && e.Value(column) == value {
			return e
		}
	}
	return nil
}

// Referenced reports whether another entity refers to one.
func (w *World) Referenced(e *Entity) bool {
	for _, other := range w.entities {
		if !other.there {
			continue
		}
		for i := range other.table.Columns {
			if c := &other.table.Columns[i]; c.Parent == e.Key.Table && other.Value(c.Name) == e.Key.ID {
				return true
			}
		}
	}
	return false
}

// give puts a layer onto a field.
func (e *Entity) give(j *Job, column, value string) {
	before := e.Value(column)
	l := &layer{job: j, value: value}
	l.act = act{layer: l, gives: true}
	e.fields[column] = append(e.fields[column], l)
	if j == nil {
		return
	}
	f := j.effectOn(e)
	f.acts[column] = append(f.acts[column], &l.act)
	f.shift(column, before)
	if f.made {
		f.leftWith[column] = value
	}
}

// begin begins a transaction of the job.
func (w *World) begin(j *Job) {
	w.moment++
	j.commits, j.when = append(j.commits, nil), w.moment
}

// effectOn is the effect of the job's current transaction on the entity; there is one from
// now on.
func (j *Job) effectOn(e *Entity) *effect {
	f := j.on(e)
	if f == nil {
		f = &effect{entity: e, when: j.when, acts: make(map[string][]*act), leftWith: make(map[string]string), shifts: make(map[string]*shift)}
		last := len(j.commits) - 1
		j.commits[last] = append(j.commits[last], f)
	}
	return f
}

// shift notes what has become of a field that showed before until now.
func (f *effect) shift(column, before string) {
	if s := f.shifts[column]; s != nil {
		before = s.before
	}
	e := f.entity
	f.shifts[column] = &shift{before: before, after: e.Value(column), left: e.beneath(column, f.acts[column]), height: len(e.fields[column])}
}

// make says that the job's transaction has made an entity.
func (j *Job) make(e *Entity) *effect {
	f := j.effectOn(e)
	f.made = true
	e.made = append(e.made, f)
	return f
}

// has reports whether the job has done anything to the entity.
func (j *Job) has(e *Entity) bool {
	for _, c := range j.commits {
		if slices.ContainsFunc(c, func(f *effect) bool { return f.entity == e }) {
			return true
		}
	}
	return false
}

// on is the effect of the job's current transaction on the entity, or nil.
func (j *Job) on(e *Entity) *effect {
	if j == nil || len(j.commits) == 0 {
		return nil
	}
	for _, f := range j.commits[len(j.commits)-1] {
		if f.entity == e {
			return f
		}
	}
	return nil
}

// add makes an entity.
func (w *World) add(j *Job, t *Table, given map[string]string) *Entity {
	e := &Entity{Key: Key{t.Name, given["id"]}, table: t, there: true, fields: make(map[string][]*layer), givers: make(map[string]int64)}
	w.entities[e.Key] = e
	if j != nil {
		j.make(e)
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		v, ok := given[c.Name]
		if !ok || v == "" {
			v = c.Default
		}
		if !c.Clock {
			e.give(j, c.Name, v)
		}
	}
	return e
}

// String is the entity in short.
func (e *Entity) String() string {
	s := fmt.Sprintf("%s %s:", e.Key.Table, e.Key.ID)
	for i := range e.table.Columns {
		c := e.table.Columns[i].Name
		s += fmt.Sprintf(" %s=%q", c, e.Value(c))
	}
	return s
}
