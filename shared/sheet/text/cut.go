package text

import (
	"context"
	"fmt"

	"github.com/loadbay/loadbay/shared/sheet"
)

// Cut determines the chunks of a text below its header, in one sequential pass. UTF-8 is cut into
// byte ranges: only row ends are searched, so cells may still turn out to be invalid. Text in
// any other encoding is cut into packs.
//
// A chunk ends after rowsPerChunk rows with data, or earlier once it is sheet.MaxChunkBytes
// long. Blank rows between two chunks belong to the second.
func Cut(ctx context.Context, src sheet.Source, d *sheet.Dialect, rowsPerChunk int, lim sheet.Limits, observe sheet.Observer, emit sheet.Cutter) (sheet.Counts, error) {
	if rowsPerChunk < 1 {
		return sheet.Counts{}, fmt.Errorf("cut into chunks of %d rows", rowsPerChunk)
	}
	if !d.RangeReadable() {
		rows, err := Open(ctx, src, d, lim)
		if err != nil {
			return sheet.Counts{}, err
		}
		defer rows.Close()
		return sheet.CutRows(ctx, sheet.Observe(sheet.StopBeforeFooter(sheet.WithBudget(rows, lim.Budget(src.Size())), d.FooterRow), observe), rowsPerChunk, emit)
	}
	start := max(int64(d.BOM), d.DataOffset)
	s, err := newSection(src, d, start, lim)
	if err != nil {
		return sheet.Counts{}, err
	}
	split := newSplitter(d, lim)
	s.measure, s.number = split, d.HeaderRow
	c := &cutter{
		scan: s, split: split, observe: observe, lastFrom: src.Size() - sheet.LastBytes, start: start, perChunk: rowsPerChunk, limit: lim.Rows, emit: emit, footer: d.FooterRow, before: start,
		chunk:  sheet.Chunk{Offset: start, FirstRow: d.HeaderRow + 1},
		counts: sheet.Counts{Lines: d.HeaderRow, Header: d.HeaderRow},
	}
	err = c.run(ctx)
	return c.counts, err
}

// cutter cuts a UTF-8 text.
type cutter struct {
	scan        *scanner
	split       splitter
	observe     sheet.Observer
	lastFrom    int64 // offset in the file from which rows are shown as last ones
	row         sheet.Row
	start       int64 // offset of the scanner's text in the file
	perChunk    int
	limit       int64 // maximum number of rows in the file
	emit        sheet.Cutter
	footer      int64       // number of the first footer row; 0: none
	before      int64       // start of the next row
	chunk       sheet.Chunk // the current chunk
	checksummed int         // length of the scanner's block included in the checksum
	counts      sheet.Counts
}

func (c *cutter) run(ctx context.Context) error {
	for {
		for c.scan.scan() {
			if err := c.addRow(ctx); err != nil {
				return err
			}
		}
		c.updateChecksum(c.rowEnd())
		if err := ctx.Err(); err != nil {
			return err
		}
		if !c.scan.fill() {
			break
		}
		c.checksummed = 0
	}
	if c.scan.err != nil {
		return c.scan.err
	}
	return c.close(ctx, c.rowEnd())
}

// addRow adds the last scanned row to the chunk.
func (c *cutter) addRow(ctx context.Context) error {
	c.counts.Lines++
	if c.footer > 0 && c.scan.number >= c.footer {
		return c.skipFooterRow(ctx)
	}
	c.chunk.Lines++
	if c.scan.isBlank(c.scan.row) {
		c.counts.Blank++
	} else {
		c.counts.Rows++
		c.chunk.Rows++
		if err := tooManyRowsError(c.counts.Rows, c.limit); err != nil {
			return err
		}
		c.observeRow()
	}
	c.before = c.rowEnd()
	if c.chunk.Rows == c.perChunk || c.before-c.chunk.Offset >= sheet.MaxChunkBytes {
		return c.close(ctx, c.before)
	}
	return nil
}

// observeRow shows the last scanned row to the observer.
func (c *cutter) observeRow() {
	last := c.observe.Last != nil && c.rowEnd() >= c.lastFrom
	if c.observe.Each == nil && !last {
		return
	}
	cells, code := c.split.cells(c.scan.row, c.scan.quoted)
	c.row.Number, c.row.Cells, c.row.ErrorCode = c.scan.number, cells, string(code)
	c.observe.See(&c.row, last)
}

// skipFooterRow skips a row of the footer; the last chunk ends before it.
func (c *cutter) skipFooterRow(ctx context.Context) error {
	if c.scan.isBlank(c.scan.row) {
		c.counts.Blank++
	} else {
		c.counts.Header++
	}
	if c.chunk.Rows == 0 {
		return nil
	}
	return c.close(ctx, c.before)
}

// rowEnd returns the offset in the file at which the last scanned row ends.
func (c *cutter) rowEnd() int64 { return c.start + c.scan.offset() }

// updateChecksum adds the text that was scanned since, up to that offset in the file, to the
// chunk's checksum.
func (c *cutter) updateChecksum(end int64) {
	pos := int(end - c.start - c.scan.base)
	c.chunk.CRC32C = sheet.ExtendChecksum(c.chunk.CRC32C, c.scan.buf[c.checksummed:pos])
	c.checksummed = pos
}

// close emits the chunk, which ends at that offset in the file, unless all its rows are blank, and
// begins the next one.
func (c *cutter) close(ctx context.Context, end int64) error {
	c.updateChecksum(end)
	index := c.chunk.Index
	if c.chunk.Rows > 0 {
		c.chunk.Length = end - c.chunk.Offset
		if err := c.emit(ctx, c.chunk, nil); err != nil {
			return fmt.Errorf("emit chunk %d: %w", index, err)
		}
		index++
	}
	c.chunk = sheet.Chunk{Index: index, Offset: end, FirstRow: c.scan.number + 1}
	return nil
}
