package changeset

import "fmt"

// The limits of an encoded part. Decode checks them as well: the length of a part does not
// limit its decoded size.
const (
	// MaxChanges is the maximum number of changes in a part.
	MaxChanges = 20_000
	// MaxColumns is the maximum number of columns of an entity in a change.
	MaxColumns = 250
	// MaxNameBytes is the maximum length in bytes of a column name, as in Postgres.
	MaxNameBytes = 63
	// maxTableBytes is the maximum length of a table name, which may contain its schema, a dot, and
	// quotation marks around both.
	maxTableBytes = 2*(MaxNameBytes+2) + 1
	// MaxBytes is the maximum size of a part before compression.
	MaxBytes = 64 << 20
)

// validate returns an error if the change exceeds a limit or is inconsistent. It does not
// check names.
func (c *Change) validate() error {
	before, after := len(c.Columns), len(c.Columns)
	switch c.Op {
	case Created:
		before = 0
	case Deleted:
		after = 0
	case Updated:
	default:
		return fmt.Errorf("unknown operation %d", c.Op)
	}
	for _, columns := range [][]string{c.Columns, c.Hashed} {
		if len(columns) > MaxColumns {
			return fmt.Errorf("%d columns are more than %d", len(columns), MaxColumns)
		}
	}
	if len(c.Before) != before || len(c.After) != after {
		return fmt.Errorf("%s of %d columns has %d values before and %d after", c.Op, len(c.Columns), len(c.Before), len(c.After))
	}
	if c.Op != Created && (c.Hash != 0 || len(c.Hashed) > 0) {
		return fmt.Errorf("%s with a hash", c.Op)
	}
	if c.Row < 0 || c.PrevJob < 0 || c.PrevRow < 0 {
		return fmt.Errorf("row %d, previous job %d and row %d: one is negative", c.Row, c.PrevJob, c.PrevRow)
	}
	return nil
}

// validateNames returns an error for a name that no table or column can have.
func validateNames(c *Change) error {
	if c.Table == "" || len(c.Table) > maxTableBytes {
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
