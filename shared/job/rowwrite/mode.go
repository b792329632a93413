// Package rowwrite holds the terms that import types and jobs share about writing a row: the
// mode in which it is written, its outcome, and its errors.
//
// Tested by shared/job: counts and names of outcomes.
package rowwrite

// Mode determines how a row affects an entity that already exists.
type Mode string

// The write modes.
const (
	Insert Mode = "insert" // the row is an error
	Upsert Mode = "upsert" // the entity is updated; an empty cell leaves its value unchanged
	Update Mode = "update" // like Upsert, but a row without an existing entity is an error
)

// Modes returns all modes.
func Modes() []Mode { return []Mode{Insert, Upsert, Update} }
