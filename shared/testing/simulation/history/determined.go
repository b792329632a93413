package history

import "slices"

// IsDetermined reports whether the rules determine the result for every field if a job is undone
// now, by force or not. The rules compare values, so that the origin of a value may be ambiguous.
func (w *Model) IsDetermined(j *Job, force bool) bool {
	for n := range j.commits {
		if !w.IsCommitDetermined(j, n, force) {
			return false
		}
	}
	return true
}

// IsCommitDetermined is IsDetermined for one of the job's transactions.
func (w *Model) IsCommitDetermined(j *Job, commit int, force bool) bool {
	return !slices.ContainsFunc(j.commits[commit], func(f *effect) bool {
		return w.isReplaced(f, force) || f.entity.exists && !f.created && !force && f.isUndetermined()
	})
}

// isReplaced reports whether another entity now has the id, and would be mistaken for the one that
// was written.
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

// isRepeated reports whether the field was later set to the same value again, so that the origin
// of the value is ambiguous.
func (f *effect) isRepeated(column string, s *fieldChange) bool {
	return slices.ContainsFunc(f.entity.fields[column][s.layers:], func(l *layer) bool { return l.inForce() && l.value == s.own })
}

// isInert reports whether the field has the value that the effect left, but not because of the
// effect: its value is already out of force, or reverting it would not change the field.
func (f *effect) isInert(column string) bool {
	acts := f.acts[column]
	if last := acts[len(acts)-1]; last.adds {
		return !last.layer.inForce()
	}
	return f.valueWithout(column) == f.entity.Value(column)
}

// isBypassed reports whether reverting the effect would change the field although it no longer has
// the value that the effect left, since a lower layer has been undone in the meantime. By its
// value, the field was changed later and is kept; the final value would depend on the order of
// undos.
func (f *effect) isBypassed(column string, s *fieldChange) bool {
	now := f.entity.Value(column)
	return now != s.own && f.valueWithout(column) != now
}

// valueWithout returns the value of the field if the effect were reverted.
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
