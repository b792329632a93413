package history

import "slices"

// Parts is how many transactions the job has had so far.
func (j *Job) Parts() int { return len(j.commits) }

// UndoCommit takes back one of a job's transactions. Later edits win, field by field.
func (w *World) UndoCommit(undo, j *Job, commit int) {
	undo.Begin()
	effects := slices.Clone(j.commits[commit])
	slices.Reverse(effects)
	for _, f := range effects {
		for _, a := range f.acts[""] {
			undo.effectOn(f.entity).add("", a.undo())
		}
		switch {
		case f.made:
			if !w.unmake(undo, f) {
				doom := &act{}
				f.dooms = append(f.dooms, doom)
				undo.effectOn(f.entity).add("", doom)
			}
			continue
		case f.removed:
			w.remake(undo, f)
		}
		if f.entity.there {
			w.putBack(undo, f)
		}
		undo.leave(f.entity)
	}
}

func (f *effect) add(column string, a *act) { f.acts[column] = append(f.acts[column], a) }

// leave notes how the job's transaction leaves an entity that it has made.
func (j *Job) leave(e *Entity) {
	if f := j.on(e); f != nil && f.made {
		for i := range e.table.Columns {
			c := e.table.Columns[i].Name
			f.leftWith[c] = e.Value(c)
		}
	}
}

// unmake removes an entity that was made, if it is as the job left it and nothing refers
// to it. ok is false if it is not.
func (w *World) unmake(undo *Job, f *effect) (ok bool) {
	e := f.entity
	if !e.there {
		return true
	}
	for column, v := range f.leftWith {
		if e.Value(column) != v {
			return false
		}
	}
	if !w.Referenced(e) {
		undo.effectOn(e).removed = true
		e.there = false
	}
	return true
}

// remake brings back an entity that was removed, as it was, if what may be there once is
// not there by now, and what it refers to is.
func (w *World) remake(undo *Job, f *effect) {
	e := f.entity
	if w.Get(e.Key) != nil {
		return
	}
	for i := range e.table.Columns {
		c := &e.table.Columns[i]
		if c.once() && w.holder(e.table, c.Name, e.Value(c.Name)) != nil {
			return
		}
		if c.Parent != "" && w.Get(Key{c.Parent, e.Value(c.Name)}) == nil {
			return
		}
	}
	e.there = true
	w.entities[e.Key] = e
	undo.make(e)
}

// once reports whether no two entities have the same value of the column.
func (c *Column) once() bool { return c.Unique || c.Natural }

// putBack takes back what was done to fields of an entity, each for itself.
func (w *World) putBack(undo *Job, f *effect) {
	e, restored, kept := f.entity, false, false
	mine := undo.effectOn(e)
	for column, acts := range f.acts {
		if column == "" {
			continue
		}
		before := e.Value(column)
		undos := make([]*act, len(acts))
		for i, a := range acts {
			undos[i] = a.undo()
		}
		switch now := e.Value(column); {
		case now == before:
			kept = kept || now != e.beneath(column, acts)
		case !w.possible(e, column):
			for _, a := range acts {
				a.redo()
			}
			continue
		default:
			e.writer, restored = undo, true
		}
		mine.acts[column] = append(mine.acts[column], undos...)
	}
	for column, c := range f.clocks {
		if (restored || !kept) && e.clocks[column] == c[1] {
			e.clocks[column] = c[0]
			mine.clocks[column] = [2]string{c[1], c[0]}
		}
	}
	for _, d := range e.made {
		if restored && d.doomed() && e.there {
			w.unmake(undo, d)
		}
	}
}

// beneath is what a field would show without what was given after the layers of the acts.
func (e *Entity) beneath(column string, acts []*act) string {
	pile := e.fields[column]
	for i, l := range slices.Backward(pile) {
		if slices.ContainsFunc(acts, func(a *act) bool { return a.layer == l }) {
			return shown(pile[:i+1])
		}
	}
	return e.Value(column)
}

// possible reports whether the entity can have the value that it has now.
func (w *World) possible(e *Entity, column string) bool {
	c := e.table.column(column)
	if c.Parent != "" && w.Get(Key{c.Parent, e.Value(column)}) == nil {
		return false
	}
	if !c.once() {
		return true
	}
	for key, other := range w.entities {
		if key.Table == e.Key.Table && other != e && other.there && other.Value(column) == e.Value(column) {
			return false
		}
	}
	return true
}

// Decided reports whether the rules decide what becomes of every field if a job is undone
// now. They compare values: if somebody else has given a field the same value later, it
// is nobody's in particular.
func (w *World) Decided(j *Job) bool {
	for _, c := range j.commits {
		for _, f := range c {
			for column, pile := range f.entity.fields {
				if f.entity.there && twofold(pile, f.acts[column], f.entity.Value(column)) {
					return false
				}
			}
		}
	}
	return true
}

// twofold reports whether the value that is shown is one which the effect has given, and
// somebody else after it.
func twofold(pile []*layer, acts []*act, shown string) bool {
	mine, given := false, ""
	for _, l := range pile {
		switch own := slices.ContainsFunc(acts, func(a *act) bool { return a.layer == l && a.gives }); {
		case own:
			mine, given = true, l.value
		case mine && l.inForce() && l.value == given && l.value == shown:
			return true
		}
	}
	return false
}
