package declared

import (
	"time"

	"github.com/loadbay/loadbay/shared/entity/pgtable"
)

// Version is a version of a declared type. It never changes.
type Version struct {
	Number      int // from 1
	Declaration *Declaration
	// Adopted is the table as it was when the version was saved, so that functions can compile the
	// declaration without reading the catalogue.
	Adopted *pgtable.Table
	SavedBy string // the caller's name in the token
	SavedAt time.Time
	// CreatedAt and RetiredAt are those of the type; RetiredAt is nil while it is in use.
	CreatedAt time.Time
	RetiredAt *time.Time
}
