package text

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/charset"
)

// Open streams the rows below the header. Its memory does not grow with the file.
func Open(ctx context.Context, src sheet.Source, d *sheet.Dialect, lim sheet.Limits) (sheet.Rows, error) {
	start := int64(d.BOM)
	if d.RangeReadable() {
		start = max(start, d.DataOffset)
	}
	s, err := newSection(src, d, start, lim)
	if err != nil {
		return nil, err
	}
	r := &rows{ctx: ctx, scan: s, split: newSplitter(d, lim), limit: lim.Rows}
	s.measure = r.split
	if start > int64(d.BOM) {
		s.number = d.HeaderRow
		r.counts = sheet.Counts{Lines: d.HeaderRow, Header: d.HeaderRow}
		return r, nil
	}
	return r, r.skip(d.HeaderRow)
}

// OpenChunk reads the rows of a chunk that is a byte range of the file. Cells alias body, which is
// not modified.
func OpenChunk(body []byte, d *sheet.Dialect, c sheet.Chunk, lim sheet.Limits) (sheet.Rows, error) {
	if !d.RangeReadable() {
		return nil, fmt.Errorf("open chunk %d: text in %s is read from a pack", c.Index, d.Encoding)
	}
	split := newSplitter(d, lim)
	s := scanBytes(body, grammarOf(d), c.FirstRow-1, lim, split)
	s.quoting = quoting{strict: d.RowCells > 0, width: d.RowCells, chunk: true}
	return &chunkRows{rows{ctx: context.Background(), scan: s, split: split, limit: lim.Rows}, c}, nil
}

// newSection scans the source from an offset on, as UTF-8. The scanner has no measurer yet.
func newSection(src sheet.Source, d *sheet.Dialect, start int64, lim sheet.Limits) (*scanner, error) {
	r, err := charset.NewReader(sheet.ReadFrom(src, start), d.Encoding)
	if err != nil {
		return nil, err
	}
	s := newScanner(r, grammarOf(d), 0, lim, nil)
	s.block = int(min(blockBytes, utf8.UTFMax*(src.Size()-start)+1)) // a small file needs less
	s.quoting = quoting{strict: d.RowCells > 0, width: d.RowCells}
	s.utf8 = d.Encoding == charset.UTF8 || d.Encoding == ""
	return s, nil
}

func newSplitter(d *sheet.Dialect, lim sheet.Limits) splitter {
	if d.Format == sheet.NDJSON {
		return newObjects(d.Header, d.Nested, lim)
	}
	return newTable(grammarOf(d), d.Header, d.RowCells, lim)
}
