package history

import "slices"

// Parts is how many transactions the job has had so far.
func (j *Job) Parts() int { return len(j.commits) }

// Extent is how much an undo takes back.
type Extent struct {
	// Force takes back what has been changed since as well, whoever did it.
	Force bool
	// Cascade is the job that is undone where what later ones have done to the same
	// entities goes before it; nil where only that job is taken back.
	Cascade *Job
}

// passes reports whether what a job has done is only taken back for the sake of another.
func (x Extent) passes(j *Job) bool { return x.Cascade != nil && x.Cascade != j }

// UndoCommit takes back one of a job's transactions. Later edits win, field by field,
// unless the extent says otherwise.
func (w *World) UndoCommit(undo, j *Job, commit int, x Extent) {
	w.begin(undo)
	undo.undoes = true
	effects := slices.Clone(j.commits[commit])
	slices.Reverse(effects)
	slices.SortStableFunc(effects, func(a, b *effect) int { return w.turn(a) - w.turn(b) })
	for _, f := range effects {
		switch {
		case !x.passes(j):
			for _, a := range f.acts[""] {
				undo.effectOn(f.entity).add("", a.undo())
			}
		case !x.Cascade.changed(f.entity.Key):
			continue
		}
		w.undoEffect(undo, f, how{x.Force, x.passes(j)})
	}
}

// turn says which effects of a transaction are taken back first: of what it wrote together
// nothing new stands in the way of values that come back, so that it goes before, but for
// what others refer to.
func (w *World) turn(f *effect) int {
	if f.made && !w.Referenced(f.entity) {
		return 0
	}
	return 1
}

// how an effect is taken back: by force, or only as far as it was seen, which is what of
// it stands in the way of others.
type how struct{ force, onlySeen bool }

func (w *World) undoEffect(undo *Job, f *effect, h how) {
	switch {
	case f.made:
		if !w.unmake(undo, f, h.force) {
			d := &doom{when: undo.when}
			f.dooms = append(f.dooms, d)
			undo.effectOn(f.entity).add("", &d.act)
		}
		return
	case f.removed:
		w.remake(undo, f)
	}
	if f.entity.there {
		w.putBack(undo, f, h)
	}
	undo.leave(f.entity)
}

// changed reports whether the job has changed an entity with that key.
func (j *Job) changed(key Key) bool {
	for _, c := range j.commits {
		if slices.ContainsFunc(c, func(f *effect) bool { return f.entity.Key == key && f.changes() }) {
			return true
		}
	}
	return false
}

// changes reports whether the effect is more than that something was left as it is.
func (f *effect) changes() bool {
	if f.made || f.removed || f.written {
		return true
	}
	for _, s := range f.shifts {
		if s.seen() {
			return true
		}
	}
	return false
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

// unmake removes an entity that was made, if it is as the job left it, or by force, and
// nothing refers to it. ok is false if it is not.
func (w *World) unmake(undo *Job, f *effect, force bool) (ok bool) {
	e := f.entity
	if !e.there {
		return true
	}
	for column, v := range f.leftWith {
		if !force && e.Value(column) != v {
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

// putBack takes back what was done to fields of an entity, each for itself, times last: where
// all that was given stays, so does the time at which it was given.
func (w *World) putBack(undo *Job, f *effect, h how) {
	e, restored, kept := f.entity, false, false
	mine := undo.effectOn(e)
	for _, column := range f.columns() {
		s, acts := f.shifts[column], f.acts[column]
		if h.onlySeen && !s.seen() {
			continue
		}
		if h.force && s.seen() {
			acts = slices.Concat(acts, e.since(column, s))
		}
		before := e.Value(column)
		undos := make([]*act, len(acts))
		for i, a := range acts {
			undos[i] = a.undo()
		}
		clock := e.table.column(column).Clock
		switch now := e.Value(column); {
		case now == before:
			kept = kept || !clock && now != e.beneath(column, acts)
		case clock && kept && !restored, !w.possible(e, column):
			for _, a := range acts {
				a.redo()
			}
			continue
		default:
			e.writer, restored = undo, true
		}
		mine.acts[column] = append(mine.acts[column], undos...)
		mine.shift(column, before)
	}
	for _, d := range e.made {
		if restored && d.doomed(f) && e.there {
			w.unmake(undo, d, false)
		}
	}
}

// columns are those of the fields that the effect has acts on, times last.
func (f *effect) columns() (columns []string) {
	t := f.entity.table
	for _, clock := range []bool{false, true} {
		for i := range t.Columns {
			if c := &t.Columns[i]; c.Clock == clock && len(f.acts[c.Name]) > 0 {
				columns = append(columns, c.Name)
			}
		}
	}
	return columns
}

// since are the acts in force that gave a field values after it was shifted.
func (e *Entity) since(column string, s *shift) []*act {
	var acts []*act
	for _, l := range e.fields[column][s.height:] {
		if l.inForce() {
			acts = append(acts, &l.act)
		}
	}
	return acts
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
