package changeset

import "fmt"

// The bounds of an encoded part. They hold for what is read as well: a part is never
// trusted to be as small as its length suggests.
const (
	// MaxChanges is how many changes a part has.
	MaxChanges = 20_000
	// MaxColumns is how many columns of an entity a change has.
	MaxColumns = 250
	// MaxNameBytes is the length in bytes of a table's or a column's name, as in Postgres.
	MaxNameBytes = 63
	// MaxBytes is the size of a part before it is compressed.
	MaxBytes = 64 << 20
)

// validate says what is wrong with a change, besides its names.
func (c *Change) validate() error {
	before, after := len(c.Columns), len(c.Columns)
	switch c.Op {
	case Created:
		before = 0
	case Deleted:
		after = 0
	case Updated:
	default:
		return fmt.Errorf("operation %d is unknown", c.Op)
	}
	for _, columns := range [][]string{c.Columns, c.Hashed} {
		if len(columns) > MaxColumns {
			return fmt.Errorf("%d columns are more than %d", len(columns), MaxColumns)
		}
	}
	if len(c.Before) != before || len(c.After) != after {
		return fmt.Errorf("%s of %d columns with %d values before and %d after", c.Op, len(c.Columns), len(c.Before), len(c.After))
	}
	if c.Op != Created && (c.Hash != 0 || len(c.Hashed) > 0) {
		return fmt.Errorf("%s with a hash", c.Op)
	}
	if c.Row < 0 || c.PrevJob < 0 || c.PrevRow < 0 {
		return fmt.Errorf("row %d, previous job %d and row %d: one is negative", c.Row, c.PrevJob, c.PrevRow)
	}
	return nil
}

// validateNames says which name of a table or a column no table or column can have.
func validateNames(c *Change) error {
	if c.Table == "" || len(c.Table) > MaxNameBytes {
		return fmt.Errorf("name of a table of %d bytes", len(c.Table))
	}
	for _, names := range [][]string{c.Columns, c.Hashed} {
		for _, name := range names {
			if name == "" || len(name) > MaxNameBytes {
				return fmt.Errorf("name of a column of %d bytes", len(name))
			}
		}
	}
	return nil
}
