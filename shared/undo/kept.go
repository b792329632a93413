package undo

// Kept is a value that stayed when the import which it led away from was undone: something
// had changed it since. If that is undone in turn, it must not bring back what the undone
// import had given.
type Kept struct {
	ID      int64  // of the note; later ones are greater
	Table   string // of the entity
	Entity  string // its id
	Column  string // "" for the whole of an entity that was to go
	Given   *string
	Instead *string
	Applied bool // a later undo has gone back to Instead
	// Since is the place of the change that was undone: earlier ones had not met what it gave.
	Since int64
}

// Of are the notes about one entity, in the order in which they were made.
type Of []Kept

// Instead is the Instead of the entity's changes, and returns the ids of the notes that it
// has heeded so far.
func (kept Of) Instead() (Instead, func() []int64) {
	var heeded []int64
	instead := func(column string, value *string) *string {
		for _, k := range kept {
			if k.Column == column && same(k.Given, value) {
				value, heeded = k.Instead, append(heeded, k.ID)
			}
		}
		return value
	}
	return instead, func() []int64 { return heeded }
}
