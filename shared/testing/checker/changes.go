package checker

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/job"
)

// Change is a change of one entity, as the API shows it.
type Change struct {
	Job       job.ID // the job of the change
	Key       EntityKey
	Kind      string // CREATED, UPDATED or DELETED
	RowNumber int64
	Columns   []string // columns with another value
	Before    []*string
	After     []*string
	Previous  job.ID // the previous import; "" if there is none or it has been deleted
}

// Unexplained describes the differences between two snapshots that the changes do not explain,
// and the changes that do not connect the snapshots. For each entity there must be an order of
// all of its changes in which each change finds its previous values, ending in the current
// values. The order in which chunks were written is not stored, so any order is accepted.
func (before Snapshot) Unexplained(after Snapshot, changes []Change) []string {
	of := make(map[EntityKey][]Change)
	for i := range changes {
		of[changes[i].Key] = append(of[changes[i].Key], changes[i])
	}
	keys := make(map[EntityKey]bool)
	for _, some := range [][]EntityKey{slices.Collect(maps.Keys(before)), slices.Collect(maps.Keys(after)), slices.Collect(maps.Keys(of))} {
		for _, key := range some {
			keys[key] = true
		}
	}
	var found []string
	for key := range keys {
		w := orderSearch{end: stateFrom(after, key)}
		if !w.canReach(stateFrom(before, key), of[key]) {
			found = append(found, fmt.Sprintf("%s %s: %s does not lead from %s to %s", key.Table, key.ID, describeAll(of[key]), stateFrom(before, key), w.end))
		}
	}
	slices.Sort(found)
	return found
}

// Differences describes the entities that have other values in another snapshot, regardless of
// who wrote them.
func (before Snapshot) Differences(after Snapshot) []string {
	var found []string
	for key, e := range before {
		now, ok := after[key]
		switch {
		case !ok:
			found = append(found, fmt.Sprintf("%s %s is missing", key.Table, key.ID))
		case !maps.EqualFunc(e.Values, now.Values, equalValues):
			found = append(found, fmt.Sprintf("%s %s was %s and is %s", key.Table, key.ID, stateFrom(before, key), stateFrom(after, key)))
		}
	}
	for key := range after {
		if _, ok := before[key]; !ok {
			found = append(found, fmt.Sprintf("%s %s has come: %s", key.Table, key.ID, stateFrom(after, key)))
		}
	}
	slices.Sort(found)
	return found
}

// entityState is an entity between changes. If it was created in between, only the values that a
// later change contains are known.
type entityState struct {
	exists, created bool
	values          map[string]*string
	source          job.ID
}

func stateFrom(s Snapshot, key EntityKey) entityState {
	e, ok := s[key]
	return entityState{exists: ok, values: e.Values, source: e.Source}
}

// orderSearch searches for an order of changes.
type orderSearch struct{ end entityState }

// canReach reports whether all of the changes, in some order, lead from a state to the end.
func (w *orderSearch) canReach(from entityState, changes []Change) bool {
	if len(changes) == 0 {
		return from.exists == w.end.exists && (!from.exists || from.source == w.end.source && from.agrees(w.end.values))
	}
	for i := range changes {
		next, ok := from.after(&changes[i])
		for _, source := range changes[i].possibleSources() {
			next.source = source
			if ok && w.canReach(next, slices.Concat(changes[:i], changes[i+1:])) {
				return true
			}
		}
	}
	return false
}

// after returns the state after a change, without its source; ok is false if the change does not
// apply to s.
func (s entityState) after(c *Change) (next entityState, ok bool) {
	if c.Kind == "CREATED" {
		next = entityState{exists: true, created: true, values: formatValues(c.Columns, c.After)}
		return next, !s.exists && c.Previous == ""
	}
	if !s.exists || s.source != c.Previous || !s.agrees(formatValues(c.Columns, c.Before)) {
		return entityState{}, false
	}
	if c.Kind == "DELETED" {
		return entityState{}, s.created || len(c.Columns) == len(s.values)
	}
	next = entityState{exists: true, created: s.created, values: maps.Clone(s.values)}
	for i, name := range c.Columns {
		if equalValues(c.Before[i], c.After[i]) {
			return entityState{}, false
		}
		next.values[name] = c.After[i]
	}
	return next, true
}

// possibleSources returns the possible source imports of the entity. Entities in tables that are
// not filled from rows of a file have no source, and neither has what an import creates for all
// of its rows; an undo is also the source of changes without a row.
func (c *Change) possibleSources() []job.ID {
	switch {
	case c.Kind == "DELETED":
		return []job.ID{""}
	case c.RowNumber == 0:
		return []job.ID{"", c.Job}
	}
	return []job.ID{c.Job}
}

// agrees reports whether the state can have these values.
func (s entityState) agrees(values map[string]*string) bool {
	for name, v := range values {
		if known, ok := s.values[name]; ok && !equalValues(known, v) || !ok && !s.created {
			return false
		}
	}
	return true
}

func formatValues(columns []string, values []*string) map[string]*string {
	out := make(map[string]*string, len(columns))
	for i, v := range values {
		out[columns[i]] = v
	}
	return out
}

func equalValues(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

func (s entityState) String() string {
	if !s.exists {
		return "nothing"
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.values)) {
		fmt.Fprintf(&b, "%s=%s ", name, displayValue(s.values[name]))
	}
	return fmt.Sprintf("{%sof %q}", b.String(), s.source)
}

func describeAll(changes []Change) string {
	if len(changes) == 0 {
		return "no change"
	}
	all := make([]string, len(changes))
	for i := range changes {
		all[i] = changes[i].String()
	}
	return strings.Join(all, ", ")
}

// String returns a short description of the change.
func (c *Change) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s by row %d of %s after %q [", c.Kind, c.RowNumber, c.Job, c.Previous)
	for i, name := range c.Columns {
		fmt.Fprintf(&b, " %s:", name)
		if c.Before != nil {
			fmt.Fprintf(&b, " %s", displayValue(c.Before[i]))
		}
		if c.After != nil {
			fmt.Fprintf(&b, " → %s", displayValue(c.After[i]))
		}
	}
	return b.String() + " ]"
}

func displayValue(v *string) string {
	if v == nil {
		return "NULL"
	}
	return fmt.Sprintf("%q", *v)
}
