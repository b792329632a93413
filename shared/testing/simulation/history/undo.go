package history

import "slices"

// Undo is the job that undoes another one, in one go. Later edits win, field by field.
func (w *World) Undo(j *Job) *Job {
	undo := &Job{Name: "undo of " + j.Name}
	effects := slices.Clone(j.effects)
	slices.Reverse(effects)
	slices.SortStableFunc(effects, func(a, b *effect) int { return w.depth(b.entity) - w.depth(a.entity) })
	for _, f := range effects {
		switch {
		case f.made:
			w.unmake(undo, f)
		case f.removed:
			w.remake(undo, f)
		case f.entity.there:
			w.putBack(undo, f)
		}
	}
	return undo
}

// Decided reports whether the rules decide what becomes of every field if a job is undone
// now. They compare values: if somebody else has given a field the same value later, it
// is nobody's in particular.
func (w *World) Decided(j *Job) bool {
	for _, f := range j.effects {
		for column, pile := range f.entity.fields {
			if f.entity.there && twofold(pile, f, f.entity.Value(column)) {
				return false
			}
		}
	}
	return true
}

// twofold reports whether the value that is shown is one which the effect has given, and
// somebody else after it.
func twofold(pile []*layer, f *effect, shown string) bool {
	mine, given := false, ""
	for _, l := range pile {
		switch own := slices.Contains(f.on, l); {
		case own:
			mine, given = true, l.value
		case mine && l.inUse && l.value == given && l.value == shown:
			return true
		}
	}
	return false
}

// depth is how many tables the entity's can refer to.
func (w *World) depth(e *Entity) int { return slices.Index(w.order, e.table) }

// unmake removes an entity that was made, if it is as the job left it and nothing refers
// to it.
func (w *World) unmake(undo *Job, f *effect) {
	e := f.entity
	if !e.there || w.Referenced(e) {
		return
	}
	for column, v := range f.leftWith {
		if e.Value(column) != v {
			return
		}
	}
	undo.effectOn(e).removed = true
	e.there = false
}

// remake brings back an entity that was removed, as it was, if what may be there once is
// not there by now, and what it refers to is.
func (w *World) remake(undo *Job, f *effect) {
	e := f.entity
	for i := range e.table.Columns {
		c := &e.table.Columns[i]
		if c.Unique && w.holder(e.table, c.Name, e.Value(c.Name)) != nil {
			return
		}
		if c.Parent != "" && w.Get(Key{c.Parent, e.Value(c.Name)}) == nil {
			return
		}
	}
	e.there = true
	w.entities[e.Key] = e
	again := undo.effectOn(e)
	again.made = true
	for i := range e.table.Columns {
		c := e.table.Columns[i].Name
		again.leftWith[c] = e.Value(c)
	}
}

// putBack takes back what the job did to fields of an entity, each for itself.
func (w *World) putBack(undo *Job, f *effect) {
	e := f.entity
	mine := undo.effectOn(e)
	for column, pile := range e.fields {
		shown := e.Value(column)
		var switched []*layer
		for _, l := range pile {
			if slices.Contains(f.on, l) && l.inUse || slices.Contains(f.off, l) && !l.inUse {
				l.inUse = !l.inUse
				switched = append(switched, l)
			}
		}
		if now := e.Value(column); now != shown && !w.possible(e, column) {
			for _, l := range switched {
				l.inUse = !l.inUse
			}
			continue
		}
		for _, l := range switched {
			if l.inUse {
				mine.on = append(mine.on, l)
			} else {
				mine.off = append(mine.off, l)
			}
		}
	}
}

// possible reports whether the entity can have the value that it has now.
func (w *World) possible(e *Entity, column string) bool {
	c := e.table.column(column)
	if c.Parent != "" && w.Get(Key{c.Parent, e.Value(column)}) == nil {
		return false
	}
	if !c.Unique {
		return true
	}
	for key, other := range w.entities {
		if key.Table == e.Key.Table && other != e && other.there && other.Value(column) == e.Value(column) {
			return false
		}
	}
	return true
}
