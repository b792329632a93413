package history

import "slices"

// Parts returns the number of the job's transactions so far.
func (j *Job) Parts() int { return len(j.commits) }

// UndoScope is the scope of an undo.
type UndoScope struct {
	// Force also reverts later changes, regardless of their origin.
	Force bool
	// Cascade is the job that is undone after the effects of later jobs on the same entities; nil if
	// only that job is undone.
	Cascade *Job
}

// isTransitive reports whether the effects of a job are only reverted because of another job.
func (x UndoScope) isTransitive(j *Job) bool { return x.Cascade != nil && x.Cascade != j }

// UndoCommit undoes one of a job's transactions. Later edits are kept, field by field, unless the
// scope includes them.
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

// undoOrder returns the order in which the effects of a transaction are reverted: created entities
// first, so that they do not conflict with restored values, except entities with references.
func (w *Model) undoOrder(f *effect) int {
	if f.created && !w.IsReferenced(f.entity) {
		return 0
	}
	return 1
}

// undoMode is how an effect is reverted: by force, or only its visible changes, which are the ones
// that block others.
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

// changes reports whether the effect has changed anything.
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

// noteLeftWith records the values of an entity that the job's transaction has created.
func (j *Job) noteLeftWith(e *Entity) {
	if f := j.currentEffect(e); f != nil && f.created {
		for i := range e.table.Columns {
			c := e.table.Columns[i].Name
			f.leftWith[c] = e.Value(c)
		}
	}
}

// deleteCreated removes a created entity if it has no references and is as the job left it, or by
// force. ok is false if it was not removed.
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

// recreate restores a removed entity if its unique values are still free and its references
// exist.
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

// revertFields reverts the changes of an entity's fields one by one, times last: if all other
// values are kept, so is the time at which they were set.
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

// columns returns the fields with acts of the effect, times last.
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

// laterActs returns the acts in force that set values of a field after the change s.
func (e *Entity) laterActs(column string, s *fieldChange) []*act {
	var acts []*act
	for _, l := range e.fields[column][s.layers:] {
		if l.inForce() {
			acts = append(acts, &l.act)
		}
	}
	return acts
}

// valueBeneath returns the value of a field without the layers from those of the acts on.
func (e *Entity) valueBeneath(column string, acts []*act) string {
	pile := e.fields[column]
	for i, l := range slices.Backward(pile) {
		if slices.ContainsFunc(acts, func(a *act) bool { return a.layer == l }) {
			return visibleValue(pile[:i+1])
		}
	}
	return e.Value(column)
}

// isAllowed reports whether the entity may have its current value.
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
