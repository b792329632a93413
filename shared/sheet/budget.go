package sheet

import "github.com/loadbay/loadbay/shared/problem"

// freeTextBytes is what the rows of a file may hold however small the file is: a few
// chunks cost little, and a note that stands in every row of a workbook is stored
// there once.
const freeTextBytes = 4 * MaxChunkBytes

// Budget is how many bytes the rows of a file of that size may hold together: as
// many times its size as may be inflated of it, and never more. A workbook names a
// text that it has once as often as it likes, so that what is inflated does not bound
// what comes out.
func (l Limits) Budget(size int64) int64 {
	if l.Ratio <= 0 || size > l.Decompressed/l.Ratio {
		return l.Decompressed
	}
	return min(l.Decompressed, max(freeTextBytes, size*l.Ratio))
}

// WithBudget ends a stream with FILE_TOO_COMPRESSED before its rows hold more than that
// many bytes: their text, and one for each cell, as in a pack.
func WithBudget(rows Rows, budget int64) Rows { return &budgetRows{Rows: rows, left: budget} }

type budgetRows struct {
	Rows
	left int64
	err  error
}

// Next implements Rows.
func (b *budgetRows) Next() bool {
	if b.err != nil || !b.Rows.Next() {
		return false
	}
	cells := b.Row().Cells
	b.left -= int64(len(cells))
	for i := range cells {
		b.left -= int64(len(cells[i].Bytes))
	}
	if b.left < 0 {
		b.err = problem.New(problem.FileTooCompressed, "The rows of the file hold far more text than the file itself, from row %d on more than is read of a file of its size. Save it as CSV and send that file.", b.Row().Number)
		return false
	}
	return true
}

// Err implements Rows.
func (b *budgetRows) Err() error {
	if b.err != nil {
		return b.err
	}
	return b.Rows.Err()
}
