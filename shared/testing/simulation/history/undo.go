package history

import "slices"

// Parts is how many transactions the job has had so far.
func (j *Job) Parts() int { return len(j.commits) }

// UndoScope is how much an undo takes back.
type UndoScope struct {
	// Force takes back what has been changed since as well, whoever did it.
	Force bool
	// Cascade is the job that is undone where what later ones have done to the same
	// entities goes before it; nil where only that job is taken back.
	Cascade *Job
}

// isTransitive reports whether what a job has done is only taken back for the sake of another.
func (x UndoScope) isTransitive(j *Job) bool { return x.Cascade != nil && x.Cascade != j }

// UndoCommit takes back one of a job's transactions. Later edits win, field by field,
// unless the extent says otherwise.
func (w *Model) UndoCommit(undo, j *Job, commit int, x UndoScope) {
	w.beginTransaction(undo)
	undo.isUndo = true
	effects := slices.Clone(j.commits[commit])
	slices.Reverse(effects)
	slices.SortStableFunc(effects, func(a, b *effect) int { return w.undoOrder(a) - w.undoOrder(b) })
	for _, f := range effects {
		switch {
		case !x.isTransitive(j):
			for _, a := range f.acts[""] {
				undo.effectOn(f.entity).addAct("", a.undo())
			}
		case !x.Cascade.changedEntity(f.entity.Key):
			continue
		}
		w.undoEffect(undo, f, undoMode{x.Force, x.isTransitive(j)})
	}
}

// undoOrder says which effects of a transaction are taken back first: of what it wrote together
// nothing new stands in the way of values that come back, so that it goes before, but for
// what others refer to.
func (w *Model) undoOrder(f *effect) int {
	if f.created && !w.IsReferenced(f.entity) {
		return 0
	}
	return 1
}

// undoMode an effect is taken back: by force, or only as far as it was seen, which is what of
// it stands in the way of others.
type undoMode struct{ force, onlyVisible bool }

func (w *Model) undoEffect(undo *Job, f *effect, h undoMode) {
	switch {
	case f.created:
		if !w.deleteCreated(undo, f, h.force) {
			d := &pendingRemoval{transaction: undo.transaction}
			f.pendingRemovals = append(f.pendingRemovals, d)
			undo.effectOn(f.entity).addAct("", &d.act)
		}
		return
	case f.removed:
		w.recreate(undo, f)
	}
	if f.entity.exists {
		w.revertFields(undo, f, h)
	}
	undo.noteLeftWith(f.entity)
}

// changedEntity reports whether the job has changed an entity with that key.
func (j *Job) changedEntity(key Key) bool {
	for _, c := range j.commits {
		if slices.ContainsFunc(c, func(f *effect) bool { return f.entity.Key == key && f.changes() }) {
			return true
		}
	}
	return false
}

// changes reports whether the effect is more than that something was left as it is.
func (f *effect) changes() bool {
	if f.created || f.removed || f.written {
		return true
	}
	for _, s := range f.fieldChanges {
		if s.isVisible() {
			return true
		}
	}
	return false
}

func (f *effect) addAct(column string, a *act) { f.acts[column] = append(f.acts[column], a) }

// noteLeftWith notes how the job's transaction leaves an entity that it has made.
func (j *Job) noteLeftWith(e *Entity) {
	if f := j.currentEffect(e); f != nil && f.created {
		for i := range e.table.Columns {
			c := e.table.Columns[i].Name
			f.leftWith[c] = e.Value(c)
		}
	}
}

// deleteCreated removes an entity that was made, if it is as the job left it, or by force, and
// nothing refers to it. ok is false if it is not.
func (w *Model) deleteCreated(undo *Job, f *effect, force bool) (ok bool) {
	e := f.entity
	if !e.exists {
		return true
	}
	for column, v := range f.leftWith {
		if !force && e.Value(column) != v {
			return false
		}
	}
	if !w.IsReferenced(e) {
		undo.effectOn(e).removed = true
		e.exists = false
	}
	return true
}

// recreate brings back an entity that was removed, as it was, if what may be there once is
// not there by now, and what it refers to is.
func (w *Model) recreate(undo *Job, f *effect) {
	e := f.entity
	if w.Get(e.Key) != nil {
		return
	}
	for i := range e.table.Columns {
		c := &e.table.Columns[i]
		if c.isUnique() && w.holder(e.table, c.Name, e.Value(c.Name)) != nil {
			return
		}
		if c.Parent != "" && w.Get(Key{c.Parent, e.Value(c.Name)}) == nil {
			return
		}
	}
	e.exists = true
	w.entities[e.Key] = e
	undo.noteCreated(e)
}

// isUnique reports whether no two entities have the same value of the column.
func (c *Column) isUnique() bool { return c.Unique || c.Natural }

// revertFields takes back what was done to fields of an entity, each for itself, times last: where
// all that was given stays, so does the time at which it was given.
func (w *Model) revertFields(undo *Job, f *effect, h undoMode) {
	e, restored, kept := f.entity, false, false
	mine := undo.effectOn(e)
	for _, column := range f.columns() {
		s, acts := f.fieldChanges[column], f.acts[column]
		if h.onlyVisible && !s.isVisible() {
			continue
		}
		if h.force && s.isVisible() {
			acts = slices.Concat(acts, e.laterActs(column, s))
		}
		before := e.Value(column)
		undos := make([]*act, len(acts))
		for i, a := range acts {
			undos[i] = a.undo()
		}
		clock := e.table.column(column).Timestamp
		switch now := e.Value(column); {
		case now == before:
			kept = kept || !clock && now != e.valueBeneath(column, acts)
		case clock && kept && !restored, !w.isAllowed(e, column):
			for _, a := range acts {
				a.cancelUndo()
			}
			continue
		default:
			e.writer, restored = undo, true
		}
		mine.acts[column] = append(mine.acts[column], undos...)
		mine.noteChange(column, before)
	}
	for _, d := range e.createdBy {
		if restored && d.isRemovalPending(f) && e.exists {
			w.deleteCreated(undo, d, false)
		}
	}
}

// columns are those of the fields that the effect has acts on, times last.
func (f *effect) columns() (columns []string) {
	t := f.entity.table
	for _, clock := range []bool{false, true} {
		for i := range t.Columns {
			if c := &t.Columns[i]; c.Timestamp == clock && len(f.acts[c.Name]) > 0 {
				columns = append(columns, c.Name)
			}
		}
	}
	return columns
}

// laterActs are the acts in force that gave a field values after it was shifted.
func (e *Entity) laterActs(column string, s *fieldChange) []*act {
	var acts []*act
	for _, l := range e.fields[column][s.layers:] {
		if l.inForce() {
			acts = append(acts, &l.act)
		}
	}
	return acts
}

// valueBeneath is what a field would show without what was given after the layers of the acts.
func (e *Entity) valueBeneath(column string, acts []*act) string {
	pile := e.fields[column]
	for i, l := range slices.Backward(pile) {
		if slices.ContainsFunc(acts, func(a *act) bool { return a.layer == l }) {
			return visibleValue(pile[:i+1])
		}
	}
	return e.Value(column)
}

// isAllowed reports whether the entity can have the value that it has now.
func (w *Model) isAllowed(e *Entity, column string) bool {
	c := e.table.column(column)
	if c.Parent != "" && w.Get(Key{c.Parent, e.Value(column)}) == nil {
		return false
	}
	if !c.isUnique() {
		return true
	}
	for key, other := range w.entities {
		if key.Table == e.Key.Table && other != e && other.exists && other.Value(column) == e.Value(column) {
			return false
		}
	}
	return true
}
