package history

import "slices"

// Decided reports whether the rules decide what becomes of every field if a job is undone
// now, by force or not. They compare values, so that there are things which are nobody's in
// particular.
func (w *World) Decided(j *Job, force bool) bool {
	for n := range j.commits {
		if !w.DecidedCommit(j, n, force) {
			return false
		}
	}
	return true
}

// DecidedCommit reports it of one of the job's transactions.
func (w *World) DecidedCommit(j *Job, commit int, force bool) bool {
	return !slices.ContainsFunc(j.commits[commit], func(f *effect) bool {
		return w.replaced(f, force) || f.entity.there && !f.made && !force && f.doubtful()
	})
}

// replaced reports whether another entity has the id by now, and would be taken for the
// one that was written.
func (w *World) replaced(f *effect, force bool) bool {
	now := w.Get(f.entity.Key)
	return now != nil && now != f.entity && (force || !f.made && !f.removed)
}

func (f *effect) doubtful() bool {
	for column, s := range f.shifts {
		if f.entity.Value(column) == s.left && (f.twofold(column, s) || f.idle(column)) || f.bypassed(column, s) {
			return true
		}
	}
	return false
}

// twofold reports whether somebody has given the field the same value later, so that
// nothing tells whose it is.
func (f *effect) twofold(column string, s *shift) bool {
	return slices.ContainsFunc(f.entity.fields[column][s.height:], func(l *layer) bool { return l.inForce() && l.value == s.left })
}

// idle reports whether the field has the value that it was left with, but not because of
// the effect: what that gave is out of force already, or what it put out of force would
// stay so.
func (f *effect) idle(column string) bool {
	acts := f.acts[column]
	if last := acts[len(acts)-1]; last.gives {
		return !last.layer.inForce()
	}
	return f.without(column) == f.entity.Value(column)
}

// bypassed reports whether the field would change although it has not the value that it was
// left with: what lay beneath has been taken back meanwhile. Values say that it was
// changed later, and stays; what it is in the end would depend on the order of undos.
func (f *effect) bypassed(column string, s *shift) bool {
	now := f.entity.Value(column)
	return now != s.left && f.without(column) != now
}

// without is what the field would show if the effect were taken back.
func (f *effect) without(column string) string {
	for _, a := range f.acts[column] {
		a.undo()
	}
	value := f.entity.Value(column)
	for _, a := range f.acts[column] {
		a.redo()
	}
	return value
}
