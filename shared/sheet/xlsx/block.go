package xlsx

import (
	"cmp"
	"encoding/binary"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/xmlpull"
)

// sharedNumber is the kind of a prefetched cell with a shared string. Its bytes are the index of
// the string, because the table of strings is read in the order of rows.
const sharedNumber sheet.Kind = 255

// maxBlockCells is the maximum number of prefetched cells of a block before its last row, including
// empty ones: a row with a single cell in the last column has hundreds. Their text is at most a
// small multiple of the block's, because number formats display few additional characters.
const maxBlockCells = 1 << 16

// rowBlock is a run of a sheet's bytes with the rows that were parsed on the assumption that it
// begins between two rows. The assumption is verified once the rows before it were read.
type rowBlock struct {
	text     []byte
	err      error // error after the block, if it is the last one
	inflated int64 // bytes inflated for it
	read     chan struct{}

	rows            []blockRow
	cells           []sheet.Cell // cells of all rows
	room            []byte       // free capacity for their text
	relativeNumbers bool         // no row has a number: 1 is the row after the preceding block
	first           int64        // number of the first row, including rows without a value; 0: none
	last            int64        // number of the last row
	stop            int          // bytes of text that were parsed
}

// blockRow is a row with a value.
type blockRow struct {
	number int64
	end    int  // end of the row in the block's text
	cells  int  // end of the row's cells
	shared bool // whether there are cells of kind sharedNumber
	hidden bool
}

func newBlock(size int) *rowBlock {
	return &rowBlock{text: make([]byte, 0, size), room: make([]byte, 0, size), read: make(chan struct{}, 1)}
}

func (b *rowBlock) reset(text []byte) {
	*b = rowBlock{text: append(b.text[:0], text...), read: b.read, rows: b.rows[:0], cells: b.cells[:0], room: b.room}
}

// blockReader reads the rows of blocks.
type blockReader struct {
	rowReader
	place *xmlpull.Position // between two rows
	refs  int               // shared strings referenced by the row
}

func newBlockReader(w *workbook, place *xmlpull.Position) *blockReader {
	r := &blockReader{rowReader: *newRowReader(w, &xmlpull.Scanner{}), place: place}
	r.rowReader.shared = r.sharedPlaceholder
	return r
}

// sharedPlaceholder returns the placeholder cell for the shared string with that number.
func (r *blockReader) sharedPlaceholder(i int) (sheet.Cell, error) {
	r.refs++
	start := len(r.build.Text)
	r.build.Text = binary.LittleEndian.AppendUint64(r.build.Text, uint64(i))
	return r.build.Cell(sharedNumber, start), nil
}

// read parses rows as long as the result depends on the block alone. Any error, also of a row,
// and a row that continues in the next block, is left to the reader of the whole sheet.
func (r *blockReader) read(b *rowBlock) {
	r.x.OpenExcerpt(r.place, b.text)
	r.number, r.relativeNumber = unknown, false
	text := b.room
	for len(b.cells) < maxBlockCells {
		r.refs, r.build.Text = 0, text[len(text):]
		filled, err := r.next()
		if err != nil || !r.x.SameContext(r.place) || !r.sharedRefsUnambiguous(filled) || r.build.Row().ErrorCode != "" {
			return
		}
		b.stop = len(b.text) - r.x.Buffered()
		if r.number != unknown {
			b.last, b.relativeNumbers = r.number, r.relativeNumber
			b.first = cmp.Or(b.first, r.number)
		}
		if filled {
			text = r.build.Text
			b.cells = append(b.cells, r.build.Row().Cells...)
			b.rows = append(b.rows, blockRow{number: r.number, end: b.stop, cells: len(b.cells), shared: r.refs > 0, hidden: r.build.Row().Hidden})
		}
	}
}

// sharedRefsUnambiguous reports whether each shared string that the row references is in one of its
// cells: any other must still be looked up, because it may not exist.
func (r *blockReader) sharedRefsUnambiguous(filled bool) bool {
	refs := r.refs
	if refs == 0 || !filled {
		return refs == 0
	}
	for _, c := range r.build.Row().Cells {
		if c.Kind == sharedNumber {
			refs--
		}
	}
	return refs == 0
}
