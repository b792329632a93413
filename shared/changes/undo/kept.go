package undo

import (
	"slices"

	"github.com/loadbay/loadbay/shared/changes/changeset"
)

// Kept is a value that stayed when the import which it led away from was undone: something
// had changed it since. If that is undone in turn, it must not bring back what the undone
// import had given.
type Kept struct {
	ID      int64  // of the note; later ones are greater
	Table   string // of the entity
	Entity  string // its id
	Column  string // "" for the whole of an entity that was to go
	Given   *string
	Instead *string // what it was before that
	Applied bool    // a later undo has gone back to Instead
	// Since is the place of the change that was undone: earlier ones had not met what it gave.
	Since int64
}

// Of are the notes about one entity, in the order in which they were made.
type Of []Kept

// Back returns what a column goes back to if a change of that place is taken back, and the
// ids of the notes that say so. Where the value from before was given by a change that has
// been undone since, it is what that change would go back to, and so on.
func (kept Of) Back(column string, before *string, place int64) (back *string, heeded []int64) {
	for {
		i := slices.IndexFunc(kept, func(k Kept) bool { return k.concerns(place) && k.Column == column && same(k.Given, before) })
		if i < 0 {
			return before, heeded
		}
		before, place, heeded = kept[i].Instead, kept[i].Since, append(heeded, kept[i].ID)
	}
}

// Heeded returns the notes by which columns go back to something else than what they were
// before a change of that place, or have that already because of them.
func (kept Of) Heeded(c *changeset.Change, d *Decision, place int64) (all []int64) {
	if d.KeptWhole || c.Op != changeset.Updated {
		return nil
	}
	for i, column := range c.Columns {
		back, ids := kept.Back(column, c.Before[i], place)
		had := slices.Contains(d.Back, column) && same(back, c.After[i]) // if not, somebody has put it back
		if had || slices.Contains(d.Columns, column) {
			all = append(all, ids...)
		}
	}
	return all
}

// Entities are the notes about the whole of the entity for a change of that place.
func (kept Of) Entities(place int64) (whole []Kept) {
	for _, k := range kept {
		if k.Column == "" && k.Given != nil && k.Instead != nil && k.concerns(place) {
			whole = append(whole, k)
		}
	}
	return whole
}

// concerns reports whether the note is about what a change of that place had met: it was
// made later, of a change that came earlier.
func (k Kept) concerns(place int64) bool { return k.ID > place && k.Since < place }
