package entity

import "github.com/loadbay/loadbay/shared/job/rowwrite"

// Expressions evaluates the conditions and computed fields of a type for one row. Implementations are
// safe for concurrent use.
type Expressions interface {
	// Inputs returns the indexes of the fields that computed field k uses.
	Inputs(k int) []int
	// Compute returns the value of computed field k as a cell's text: "" for none.
	Compute(k int, r DecodedRow) (string, *rowwrite.Error)
	// Violations returns an error for each condition that the row does not meet.
	Violations(r DecodedRow) []rowwrite.Error
}

// DecodedRow is a row of a batch whose cells have been decoded, but not looked up.
type DecodedRow struct {
	Batch *Batch
	Texts map[int]*Column // cell texts of reference fields
	Index int             // in the batch
}

// Column returns the column with the row's value of a field; for a reference, with its text. ok is
// false if the file has no column for the field.
func (r DecodedRow) Column(field int) (c *Column, ok bool) {
	if !r.Batch.Mapped[field] {
		return nil, false
	}
	if texts := r.Texts[field]; texts != nil {
		return texts, true
	}
	return &r.Batch.Columns[field], true
}
