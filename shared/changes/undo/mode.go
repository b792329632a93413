package undo

// Mode is how much is taken back.
type Mode string

// The modes, by their names in the API and in the database.
const (
	// Safe takes back what nobody has changed since.
	Safe Mode = "safe"
	// Cascade first takes back what later imports have changed in the same entities.
	Cascade Mode = "cascade"
	// Force takes back what has been changed since as well.
	Force Mode = "force"
)

// Modes are all of them.
func Modes() []Mode { return []Mode{Safe, Cascade, Force} }

// MaxPreviewChanges is how many changes a preview goes through: it is one transaction, which
// holds all their entities.
const MaxPreviewChanges = 200_000

// RequiresPreview reports whether the mode takes back what others have done, so that somebody
// has to have seen a preview of it.
func (m Mode) RequiresPreview() bool { return m == Cascade || m == Force }
