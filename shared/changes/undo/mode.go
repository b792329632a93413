package undo

// Mode is the extent of an undo.
type Mode string

// The modes, by their names in the API and in the database.
const (
	// Safe reverts only values that have not been changed since.
	Safe Mode = "safe"
	// Cascade first undoes the later imports' changes of the same entities.
	Cascade Mode = "cascade"
	// Force also reverts values that have been changed since.
	Force Mode = "force"
)

// Modes returns all modes.
func Modes() []Mode { return []Mode{Safe, Cascade, Force} }

// MaxPreviewChanges is the maximum number of changes in a preview, which is one transaction that
// locks all their entities.
const MaxPreviewChanges = 200_000

// RequiresPreview reports whether the mode reverts changes of others, so that a person must have
// seen a preview.
func (m Mode) RequiresPreview() bool { return m == Cascade || m == Force }
