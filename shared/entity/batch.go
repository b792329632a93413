package entity

import (
	"slices"

	"github.com/loadbay/loadbay/shared/entity/dupkeys"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Batch is a sequence of decoded, valid rows in file order, with one column per field.
type Batch struct {
	Declaration  *Declaration
	Organisation tenant.ID
	Context      int64 // id of the declared context, or 0
	JobKey       int64 // source_job of each written entity
	Mode         rowwrite.Mode
	// Mapped reports which fields a column of the file is mapped to. The columns of the other
	// fields contain only NULLs.
	Mapped  []bool
	Columns []Column // one per field, then one per computed field
	Rows    Column   // row numbers in the file: Integer
	// DuplicateKeys holds the rows that name an entity which another row of the file names as
	// well. Other rows need not be written if they change nothing.
	DuplicateKeys *dupkeys.Rows
	Results       []Result // one per row; set by Write
	// Displaced lists rows of the same source, written earlier by another batch, that lose their
	// entity to an earlier row of the file in this batch.
	Displaced []Displaced
	// Notes holds the notes of a NoteWriter type about the rows, for WriteNotes: set by Write; nil for
	// nothing.
	Notes any
}

// Result is the outcome of one row. Errors of rows that are not rejected are warnings.
type Result struct {
	Outcome rowwrite.Outcome
	Errors  []rowwrite.Error
}

// Displaced is a row that lost its entity to an earlier row of the file. Its outcome
// becomes ERROR, or SKIPPED if the type skips duplicates.
type Displaced struct {
	Row int64
	// Holder is the row that has the entity now. It gets the previous outcome of Row if only
	// that tells whether the entity is new; else it is 0.
	Holder  int64
	Err     rowwrite.Error
	Skipped bool
}

// NewBatch returns an empty batch with capacity for n rows. mapped has an element per field; those of
// computed fields can be missing.
func NewBatch(d *Declaration, mapped []bool, n int) *Batch {
	total := len(d.Fields) + len(d.Computed)
	mapped = append(slices.Clip(mapped), make([]bool, total-len(mapped))...)
	b := &Batch{Declaration: d, Mapped: mapped, Columns: make([]Column, 0, total), Rows: NewColumn(Integer, n)}
	for _, fields := range [...][]Field{d.Fields, d.Computed} {
		for i := range fields {
			kind := fields[i].Kind
			room := kind.estimatedSize()
			if !mapped[len(b.Columns)] {
				room = 0
			}
			b.Columns = append(b.Columns, newColumn(kind, n, room))
		}
	}
	return b
}

// Len returns the number of complete rows.
func (b *Batch) Len() int { return b.Rows.Len() }

// Row returns the number in the file of row i of the batch.
func (b *Batch) Row(i int) int64 {
	n, _ := b.Rows.Int64(i)
	return n
}

// Commit completes the row after its values were appended to the columns. Columns without a
// value get NULL.
func (b *Batch) Commit(row int64) {
	b.Rows.AppendInt64(row)
	n := b.Rows.Len()
	for i := range b.Columns {
		if b.Columns[i].Len() < n {
			b.Columns[i].AppendNull()
		}
	}
}

// Discard drops the values of the incomplete row, or the rows from n on.
func (b *Batch) Discard(n int) {
	for i := range b.Columns {
		if b.Columns[i].Len() > n {
			b.Columns[i].Truncate(n)
		}
	}
	if b.Rows.Len() > n {
		b.Rows.Truncate(n)
	}
}

// Pick returns a batch of the rows at the indexes in places, without results.
func (b *Batch) Pick(places []int) *Batch {
	out := &Batch{
		Declaration: b.Declaration, Organisation: b.Organisation, Context: b.Context,
		JobKey: b.JobKey, Mode: b.Mode, Mapped: b.Mapped, DuplicateKeys: b.DuplicateKeys,
		Columns: make([]Column, len(b.Columns)), Rows: b.Rows.Pick(places),
	}
	for i := range b.Columns {
		out.Columns[i] = b.Columns[i].Pick(places)
	}
	return out
}

// Range is Pick for the rows from lo up to, but not including, hi.
func (b *Batch) Range(lo, hi int) *Batch {
	places := make([]int, 0, hi-lo)
	for i := lo; i < hi; i++ {
		places = append(places, i)
	}
	return b.Pick(places)
}

// reject rejects row i of the batch with an error.
func (b *Batch) reject(i int, f rowwrite.Error) {
	b.Results[i].Outcome = rowwrite.Errored
	b.Results[i].Errors = append(b.Results[i].Errors, f)
}
