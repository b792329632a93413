package undo

import (
	"slices"

	"github.com/loadbay/loadbay/shared/changes/changeset"
)

// KeptValue records a value that an undo did not revert because it had been changed since. If that
// later change is undone as well, it must not restore the value of the undone import.
type KeptValue struct {
	ID      int64  // id of the note; later notes have greater ids
	Table   string // table of the entity
	Entity  string // id of the entity
	Column  string // "" for an entity that should have been deleted as a whole
	Value   *string
	Before  *string // value before the undone change
	Applied bool    // a later undo has reverted to Before
	// Since is the position of the undone change; earlier changes did not see its value.
	Since int64
}

// KeptValues holds the notes about one entity, in order of creation.
type KeptValues []KeptValue

// RevertTarget returns the value to which a column reverts if the change at place is undone, and
// the ids of the notes that determine it. If the value before comes from a change that has
// been undone since, the result is the revert target of that change, and so on.
func (kept KeptValues) RevertTarget(column string, before *string, place int64) (back *string, heeded []int64) {
	for {
		i := slices.IndexFunc(kept, func(k KeptValue) bool {
			return k.appliesTo(place) && k.Column == column && changeset.EqualText(k.Value, before)
		})
		if i < 0 {
			return before, heeded
		}
		before, place, heeded = kept[i].Before, kept[i].Since, append(heeded, kept[i].ID)
	}
}

// Applied returns the notes that determine the reverted values of columns, or have determined
// their current values, where these differ from the values before the change at place.
func (kept KeptValues) Applied(c *changeset.Change, d *Reversal, place int64) (all []int64) {
	if d.EntityKept || c.Op != changeset.Updated {
		return nil
	}
	for i, column := range c.Columns {
		back, ids := kept.RevertTarget(column, c.Before[i], place)
		had := slices.Contains(d.AlreadyReverted, column) && changeset.EqualText(back, c.After[i]) // if not, the value was restored by an edit
		if had || slices.Contains(d.Columns, column) {
			all = append(all, ids...)
		}
	}
	return all
}

// ForEntity returns the notes about the whole entity for a change at place.
func (kept KeptValues) ForEntity(place int64) (whole []KeptValue) {
	for _, k := range kept {
		if k.Column == "" && k.Value != nil && k.Before != nil && k.appliesTo(place) {
			whole = append(whole, k)
		}
	}
	return whole
}

// appliesTo reports whether the note concerns a value that the change at place replaced: the note
// is newer, and its change is older.
func (k KeptValue) appliesTo(place int64) bool { return k.ID > place && k.Since < place }
