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
	Displaced   []int64
	transaction int // the last one, of all that there were
	isUndo      bool
}

// commit is what one transaction of a job did, in order.
type commit []*effect

// effect is what a transaction did to one entity: what it gave or took back of fields, or
// that it made the entity, or removed it.
type effect struct {
	entity   *Entity
	acts     map[string][]*act // by column; under "" that it was to remove the entity
	created  bool
	removed  bool
	leftWith map[string]string // values of an entity that was made, as the transaction left them
	// dooms are acts of undos that were to remove the entity which was made, when somebody
	// had changed it: it goes once that is undone.
	pendingRemovals []*pendingRemoval
	transaction     int                     // the transaction, of all that there were
	fieldChanges    map[string]*fieldChange // by column
	// written says that an import has written the entity, though it may have given nothing.
	written bool
}

// fieldChange is what a transaction made of a field.
type fieldChange struct {
	before, after string
	own           string // what its acts alone would have made of it: later layers may hide that
	layers        int    // of the pile, then
}

// isVisible reports whether the field showed something else afterwards.
func (s *fieldChange) isVisible() bool { return s != nil && s.before != s.after }

// act is something that can be undone: a layer that was given, or the undoing of another act.
type act struct {
	layer *layer // which it puts in force or, as every undoing of such an act, out of force
	adds  bool   // it puts it in force
	undos []*act // of it
}

// inForce reports whether nothing that is in force itself undoes the act.
func (a *act) inForce() bool {
	return !slices.ContainsFunc(a.undos, func(u *act) bool { return u.inForce() })
}

// undo returns the undoing of an act.
func (a *act) undo() *act {
	u := &act{layer: a.layer, adds: !a.adds}
	a.undos = append(a.undos, u)
	return u
}

// cancelUndo takes back the last undoing of the act: it has not come to be.
func (a *act) cancelUndo() { a.undos = a.undos[:len(a.undos)-1] }

// isRemovalPending reports whether an undo was to remove what was made, and met what another effect
// had made of it.
func (f *effect) isRemovalPending(by *effect) bool {
	return slices.ContainsFunc(f.pendingRemovals, func(d *pendingRemoval) bool { return d.inForce() && d.transaction > by.transaction })
}

// pendingRemoval is that an undo was to remove an entity.
type pendingRemoval struct {
	act
	transaction int // the undo's transaction
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
	exists bool

	writer     *Job             // the import that wrote it last
	sourceRows map[string]int64 // by column: the row of that import which gave the value
	createdBy  []*effect        // by which it came
}

// Model is all entities.
type Model struct {
	tables       map[string]*Table
	order        []*Table
	entities     map[Key]*Entity
	generatedIDs int // ids that stand for some which are not known yet
	transactions int // how many transactions there were
}

// New returns a world without entities.
func New() *Model {
	w := &Model{tables: make(map[string]*Table), order: Tables(), entities: make(map[Key]*Entity)}
	for _, t := range w.order {
		w.tables[t.Name] = t
	}
	return w
}

// Value is what a column shows.
func (e *Entity) Value(column string) string { return visibleValue(e.fields[column]) }

// visibleValue is the value of the uppermost layer that is in force.
func visibleValue(pile []*layer) string {
	for _, l := range slices.Backward(pile) {
		if l.inForce() {
			return l.value
		}
	}
	return Null
}

// Get returns the entity if it is there, or nil.
func (w *Model) Get(key Key) *Entity {
	if e := w.entities[key]; e != nil && e.exists {
		return e
	}
	return nil
}

// Entities are those that are there, in order.
func (w *Model) Entities() []*Entity {
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
func (w *Model) holder(t *Table, column, value string) *Entity {
	for key, e := range w.entities {
		if key.Table == t.Name && e.exists && e.Value(column) == value {
			return e
		}
	}
	return nil
}

// IsReferenced reports whether another entity refers to one.
func (w *Model) IsReferenced(e *Entity) bool {
	for _, other := range w.entities {
		if !other.exists {
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

// addLayer puts a layer onto a field.
func (e *Entity) addLayer(j *Job, column, value string) {
	before := e.Value(column)
	l := &layer{job: j, value: value}
	l.act = act{layer: l, adds: true}
	e.fields[column] = append(e.fields[column], l)
	if j == nil {
		return
	}
	f := j.effectOn(e)
	f.acts[column] = append(f.acts[column], &l.act)
	f.noteChange(column, before)
	if f.created {
		f.leftWith[column] = value
	}
}

// beginTransaction begins a transaction of the job.
func (w *Model) beginTransaction(j *Job) {
	w.transactions++
	j.commits, j.transaction = append(j.commits, nil), w.transactions
}

// effectOn is the effect of the job's current transaction on the entity; there is one from
// now on.
func (j *Job) effectOn(e *Entity) *effect {
	f := j.currentEffect(e)
	if f == nil {
		f = &effect{entity: e, transaction: j.transaction, acts: make(map[string][]*act), leftWith: make(map[string]string), fieldChanges: make(map[string]*fieldChange)}
		last := len(j.commits) - 1
		j.commits[last] = append(j.commits[last], f)
	}
	return f
}

// noteChange notes what has become of a field that showed before until now.
func (f *effect) noteChange(column, before string) {
	if s := f.fieldChanges[column]; s != nil {
		before = s.before
	}
	e := f.entity
	f.fieldChanges[column] = &fieldChange{before: before, after: e.Value(column), own: e.valueBeneath(column, f.acts[column]), layers: len(e.fields[column])}
}

// noteCreated says that the job's transaction has made an entity.
func (j *Job) noteCreated(e *Entity) *effect {
	f := j.effectOn(e)
	f.created = true
	e.createdBy = append(e.createdBy, f)
	return f
}

// touched reports whether the job has done anything to the entity.
func (j *Job) touched(e *Entity) bool {
	for _, c := range j.commits {
		if slices.ContainsFunc(c, func(f *effect) bool { return f.entity == e }) {
			return true
		}
	}
	return false
}

// currentEffect is the effect of the job's current transaction on the entity, or nil.
func (j *Job) currentEffect(e *Entity) *effect {
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
func (w *Model) add(j *Job, t *Table, given map[string]string) *Entity {
	e := &Entity{Key: Key{t.Name, given["id"]}, table: t, exists: true, fields: make(map[string][]*layer), sourceRows: make(map[string]int64)}
	w.entities[e.Key] = e
	if j != nil {
		j.noteCreated(e)
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		v, ok := given[c.Name]
		if !ok || v == "" {
			v = c.Default
		}
		if !c.Timestamp {
			e.addLayer(j, c.Name, v)
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
