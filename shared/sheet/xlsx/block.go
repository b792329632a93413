package xlsx

import (
	"cmp"
	"encoding/binary"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/xmlpull"
)

// sharedNumber is the kind of a cell that is read ahead and has the shared string of a
// number: its bytes are that number, as the table of strings is read in the order of rows.
const sharedNumber sheet.Kind = 255

// maxBlockCells is how many cells of a block are read ahead before its last row, empty ones
// included: the row of a single cell in the last column has hundreds. Their text is at most
// some times that of the block, as formats show few characters more than a number has.
const maxBlockCells = 1 << 16

// rowBlock is a run of a sheet's bytes, and the rows that have been read from it as if it began
// between two rows. Whether it does, shows when the rows before it have been read.
type rowBlock struct {
	text     []byte
	err      error // why nothing follows it
	inflated int64 // bytes that were inflated for it
	read     chan struct{}

	rows            []blockRow
	cells           []sheet.Cell // of all of them
	room            []byte       // for their text: none of it is taken
	relativeNumbers bool         // no row says its number: 1 is the one after the row before
	first           int64        // number of the first row, also of one without a value; 0: there is none
	last            int64        // of the last one
	stop            int          // bytes of text that have been read
}

// blockRow is a row with a value.
type blockRow struct {
	number int64
	end    int  // of its text
	cells  int  // where its cells end
	shared bool // some of them have a sharedNumber
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
	refs  int               // shared strings that the row has asked for
}

func newBlockReader(w *workbook, place *xmlpull.Position) *blockReader {
	r := &blockReader{rowReader: *newRowReader(w, &xmlpull.Scanner{}), place: place}
	r.rowReader.shared = r.sharedPlaceholder
	return r
}

// sharedPlaceholder is the cell in whose place the shared string of that number will be.
func (r *blockReader) sharedPlaceholder(i int) (sheet.Cell, error) {
	r.refs++
	start := len(r.build.Text)
	r.build.Text = binary.LittleEndian.AppendUint64(r.build.Text, uint64(i))
	return r.build.Cell(sharedNumber, start), nil
}

// read reads rows as far as nothing but the block decides what they are: whatever is wrong
// is left to whoever reads all of the sheet, and so is a row of which a part is in the next
// block.
func (r *blockReader) read(b *rowBlock) {
	r.x.OpenExcerpt(r.place, b.text)
	r.number, r.relativeNumber = unknown, false
	text := b.room
	for len(b.cells) < maxBlockCells {
		r.refs, r.build.Text = 0, text[len(text):]
		filled, err := r.next()
		if err != nil || !r.x.SameContext(r.place) || !r.sharedRefsUnambiguous(filled) {
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
			b.rows = append(b.rows, blockRow{number: r.number, end: b.stop, cells: len(b.cells), shared: r.refs > 0})
		}
	}
}

// sharedRefsUnambiguous reports whether each shared string that the row has asked for is in one of
// its cells: one that is not must be looked for nevertheless, as it may not exist.
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
