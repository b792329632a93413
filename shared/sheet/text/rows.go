package text

import (
	"context"
	"fmt"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// splitter splits the bytes of a row into cells.
type splitter interface {
	measurer
	// cells splits the row. The cells are valid until the next call; code is the error code of
	// an invalid row.
	cells(row []byte, quoted []span) (cells []sheet.Cell, code problem.Code)
}

// rows is the stream of a text's rows.
type rows struct {
	ctx    context.Context
	scan   *scanner
	split  splitter
	limit  int64 // maximum number of rows
	row    sheet.Row
	counts sheet.Counts
	err    error
}

func (r *rows) Next() bool {
	for r.err == nil && r.advance() {
		r.counts.Lines++
		if r.scan.isBlank(r.scan.row) {
			r.counts.Blank++
			continue
		}
		if r.err = tooManyRowsError(r.counts.Rows+1, r.limit); r.err != nil {
			return false
		}
		r.counts.Rows++
		cells, code := r.cells()
		r.row.Number, r.row.Cells, r.row.ErrorCode = r.scan.number, cells, string(code)
		return true
	}
	return false
}

// cells splits the row. A row with a cell that is too long has none: a truncated text could be taken
// for the whole one.
func (r *rows) cells() ([]sheet.Cell, problem.Code) {
	if r.scan.large {
		return nil, problem.FieldTooLarge
	}
	cells, code := r.split.cells(r.scan.row, r.scan.quoted)
	if r.scan.stray {
		code = problem.RowQuote
	}
	return cells, code
}

// advance finds the next row. It checks the context once per block.
func (r *rows) advance() bool {
	for !r.scan.scan() {
		if r.err = r.ctx.Err(); r.err != nil {
			return false
		}
		if !r.scan.fill() {
			r.err = r.scan.err
			return false
		}
	}
	return true
}

// skip skips n rows above the data.
func (r *rows) skip(n int64) error {
	for range n {
		if !r.advance() {
			return r.err
		}
		r.counts.Lines++
		r.counts.Header++
	}
	return nil
}

func (r *rows) Row() *sheet.Row      { return &r.row }
func (r *rows) Err() error           { return r.err }
func (r *rows) Counts() sheet.Counts { return r.counts }
func (r *rows) Close() error         { return nil }

func tooManyRowsError(n, limit int64) error {
	if n <= limit {
		return nil
	}
	return problem.New(problem.TooManyRows, "The file has more than %d rows.", limit)
}

// chunkRows are the rows of one chunk. Their number must equal that of the cut.
type chunkRows struct {
	rows
	chunk sheet.Chunk
}

func (c *chunkRows) Err() error {
	if c.err != nil || c.scan.pos < len(c.scan.buf) || c.counts.Rows == int64(c.chunk.Rows) {
		return c.err
	}
	return fmt.Errorf("read chunk %d: got %d rows, want %d", c.chunk.Index, c.counts.Rows, c.chunk.Rows)
}
