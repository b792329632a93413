package undo

import (
	"slices"

	"github.com/loadbay/loadbay/shared/changes/changeset"
)

// KeptValue is a value that stayed when the import which it led away from was undone: something
// had changed it since. If that is undone in turn, it must not bring back what the undone
// import had given.
type KeptValue struct {
	ID      int64  // of the note; later ones are greater
	Table   string // of the entity
	Entity  string // its id
	Column  string // "" for the whole of an entity that was to go
	Value   *string
	Before  *string // what it was before that
	Applied bool    // a later undo has gone back to Instead
	// Since is the place of the change that was undone: earlier ones had not met what it gave.
	Since int64
}

// KeptValues are the notes about one entity, in the order in which they were made.
type KeptValues []KeptValue

// RevertTarget returns what a column goes back to if a change of that place is taken back, and the
// ids of the notes that say so. Where the value from before was given by a change that has
// been undone since, it is what that change would go back to, and so on.
func (kept KeptValues) RevertTarget(column string, before *string, place int64) (back *string, heeded []int64) {
	for {
		i := slices.IndexFunc(kept, func(k KeptValue) bool { return k.appliesTo(place) && k.Column == column && equalText(k.Value, before) })
		if i < 0 {
			return before, heeded
		}
		before, place, heeded = kept[i].Before, kept[i].Since, append(heeded, kept[i].ID)
	}
}

// Applied returns the notes by which columns go back to something else than what they were
// before a change of that place, or have that already because of them.
func (kept KeptValues) Applied(c *changeset.Change, d *Reversal, place int64) (all []int64) {
	if d.EntityKept || c.Op != changeset.Updated {
		return nil
	}
	for i, column := range c.Columns {
		back, ids := kept.RevertTarget(column, c.Before[i], place)
		had := slices.Contains(d.AlreadyReverted, column) && equalText(back, c.After[i]) // if not, somebody has put it back
		if had || slices.Contains(d.Columns, column) {
			all = append(all, ids...)
		}
	}
	return all
}

// ForEntity are the notes about the whole of the entity for a change of that place.
func (kept KeptValues) ForEntity(place int64) (whole []KeptValue) {
	for _, k := range kept {
		if k.Column == "" && k.Value != nil && k.Before != nil && k.appliesTo(place) {
			whole = append(whole, k)
		}
	}
	return whole
}

// appliesTo reports whether the note is about what a change of that place had met: it was
// made later, of a change that came earlier.
func (k KeptValue) appliesTo(place int64) bool { return k.ID > place && k.Since < place }
