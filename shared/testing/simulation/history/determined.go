package history

import "slices"

// IsDetermined reports whether the rules decide what becomes of every field if a job is undone
// now, by force or not. They compare values, so that there are things which are nobody's in
// particular.
func (w *Model) IsDetermined(j *Job, force bool) bool {
	for n := range j.commits {
		if !w.IsCommitDetermined(j, n, force) {
			return false
		}
	}
	return true
}

// IsCommitDetermined reports it of one of the job's transactions.
func (w *Model) IsCommitDetermined(j *Job, commit int, force bool) bool {
	return !slices.ContainsFunc(j.commits[commit], func(f *effect) bool {
		return w.isReplaced(f, force) || f.entity.exists && !f.created && !force && f.isUndetermined()
	})
}

// isReplaced reports whether another entity has the id by now, and would be taken for the
// one that was written.
func (w *Model) isReplaced(f *effect, force bool) bool {
	now := w.Get(f.entity.Key)
	return now != nil && now != f.entity && (force || !f.created && !f.removed)
}

func (f *effect) isUndetermined() bool {
	for column, s := range f.fieldChanges {
		if f.entity.Value(column) == s.own && (f.isRepeated(column, s) || f.isInert(column)) || f.isBypassed(column, s) {
			return true
		}
	}
	return false
}

// isRepeated reports whether somebody has given the field the same value later, so that
// nothing tells whose it is.
func (f *effect) isRepeated(column string, s *fieldChange) bool {
	return slices.ContainsFunc(f.entity.fields[column][s.layers:], func(l *layer) bool { return l.inForce() && l.value == s.own })
}

// isInert reports whether the field has the value that it was left with, but not because of
// the effect: what that gave is out of force already, or what it put out of force would
// stay so.
func (f *effect) isInert(column string) bool {
	acts := f.acts[column]
	if last := acts[len(acts)-1]; last.adds {
		return !last.layer.inForce()
	}
	return f.valueWithout(column) == f.entity.Value(column)
}

// isBypassed reports whether the field would change although it has not the value that it was
// left with: what lay beneath has been taken back meanwhile. Values say that it was
// changed later, and stays; what it is in the end would depend on the order of undos.
func (f *effect) isBypassed(column string, s *fieldChange) bool {
	now := f.entity.Value(column)
	return now != s.own && f.valueWithout(column) != now
}

// valueWithout is what the field would show if the effect were taken back.
func (f *effect) valueWithout(column string) string {
	for _, a := range f.acts[column] {
		a.undo()
	}
	value := f.entity.Value(column)
	for _, a := range f.acts[column] {
		a.cancelUndo()
	}
	return value
}
