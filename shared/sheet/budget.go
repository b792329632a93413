package sheet

import "github.com/loadbay/loadbay/shared/problem"

// freeTextBytes is the budget of every file, however small: a few chunks are cheap, and a
// workbook stores a note that occurs in every row only once.
const freeTextBytes = 4 * MaxChunkBytes

// Budget returns the maximum total size in bytes of the rows of a file of that size: the same
// multiple of its size as for decompression, up to a fixed maximum. A workbook may reference a
// stored text any number of times, so the limit on decompressed data does not limit the size of
// the rows.
func (l Limits) Budget(size int64) int64 {
	if l.Ratio <= 0 || size > l.Decompressed/l.Ratio {
		return l.Decompressed
	}
	return min(l.Decompressed, max(freeTextBytes, size*l.Ratio))
}

// WithBudget ends a stream with FILE_TOO_COMPRESSED before its rows exceed that many bytes: their
// text, plus one byte per cell, as in a pack.
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
		b.err = problem.New(problem.FileTooCompressed, "The rows of the file contain too much text for its size, from row %d on. Save it as CSV and upload that file.", b.Row().Number)
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
