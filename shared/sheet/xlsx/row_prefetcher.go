package xlsx

import (
	"encoding/binary"
	"io"
	"sync"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/opc"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/xmlpull"
)

// maxPrefetchedText is the maximum size in bytes of a row's shared strings that are resolved in
// advance: far below the limit of a row.
const maxPrefetchedText = 1 << 20

// rowPrefetcher reads the rows of a sheet on other cores: one goroutine inflates blocks of it and
// cuts them at the apparent beginnings of rows, others parse their rows. Parsed rows are used if
// the sheet's scanner is between two rows exactly at the block's beginning: it would
// read the same rows from there. The scanner itself reads everything else, including all errors,
// from the same blocks.
type rowPrefetcher struct {
	pkg    *opc.Package
	place  *xmlpull.Position // between two rows
	blocks chan *rowBlock    // in file order
	spare  chan *rowBlock
	stop   chan struct{}
	ended  sync.WaitGroup

	block  *rowBlock // source of the returned rows or of the scanner
	at     int       // bytes of it that were consumed by either
	row    int       // index of its next row
	before int64     // number of the preceding row
	base   int64     // offset of its relative row numbers
	out    sheet.Row
	text   []byte // text of a row's shared strings that are not stable
}

// newRowPrefetcher starts prefetching at the position of x, the first row, and makes x read from
// blocks.
func newRowPrefetcher(w *workbook, x *xmlpull.Scanner, part *opc.Part) *rowPrefetcher {
	held := 2*w.prefetch.readers + 2 // one in use, one being filled, and those being read or waiting
	a := &rowPrefetcher{
		pkg: w.pkg, place: x.Position(), block: newBlock(w.prefetch.block),
		blocks: make(chan *rowBlock, held), spare: make(chan *rowBlock, held), stop: make(chan struct{}),
	}
	for range held - 1 { // next contributes one block
		a.spare <- newBlock(w.prefetch.block)
	}
	unread := make(chan *rowBlock, held)
	part.DisableCounting()
	x.ReplaceReader(func(r io.Reader) io.Reader {
		inflate := &inflater{r: r, part: part, counted: part.Inflated(), mark: a.place.StartTagPrefix("row"), cut: w.prefetch.cut}
		a.ended.Go(func() {
			defer close(unread)
			a.inflate(inflate, unread)
		})
		return a
	})
	for range w.prefetch.readers {
		a.ended.Go(func() {
			r := newBlockReader(w, a.place)
			for b := range unread {
				r.read(b)
				b.read <- struct{}{}
			}
		})
	}
	return a
}

// inflate fills blocks. Both channels have capacity for all blocks.
func (a *rowPrefetcher) inflate(from *inflater, unread chan<- *rowBlock) {
	for {
		select {
		case <-a.stop:
			return
		case b := <-a.spare:
			from.fill(b)
			last := b.err != nil
			unread <- b
			a.blocks <- b
			if last {
				return
			}
		}
	}
}

// next returns the next prefetched row, if it follows the position of in.
func (a *rowPrefetcher) next(in *rowReader, strings *sharedStrings) (*sheet.Row, bool) {
	for a.row < len(a.block.rows) || a.nextRows(in) {
		if a.row == len(a.block.rows) {
			continue
		}
		if !a.emitRow(strings) {
			a.handBack(in)
			return nil, false
		}
		if a.row++; len(a.out.Cells) > 0 {
			return &a.out, true
		}
	}
	return nil, false
}

// nextRows advances to the next block and its rows, if in is between two rows at its beginning.
func (a *rowPrefetcher) nextRows(in *rowReader) bool {
	if in.x.Buffered() > 0 || a.at < len(a.block.text) || a.block.err != nil {
		return false
	}
	a.nextBlock()
	b := a.block
	a.before, a.base = in.number, 0
	if b.relativeNumbers {
		a.base = in.number
	}
	if !in.x.SameContext(a.place) || b.first > 0 && (a.base+b.first <= in.number || a.base+b.last > maxRows) {
		return false
	}
	a.row, a.at = 0, b.stop
	in.number = max(in.number, a.base+b.last)
	return true
}

// handBack makes in read the next row and the rest of the block.
func (a *rowPrefetcher) handBack(in *rowReader) {
	a.at, in.number = 0, a.before
	if a.row > 0 {
		last := a.block.rows[a.row-1]
		a.at, in.number = last.end, a.base+last.number
	}
	a.row = len(a.block.rows)
}

// nextBlock advances to the next block, skipping its parsed rows. The block must exist.
func (a *rowPrefetcher) nextBlock() {
	a.spare <- a.block
	b := <-a.blocks
	<-b.read
	if err := a.pkg.AddInflated(b.inflated); err != nil {
		b.reset(nil)
		b.err = err
	}
	a.block, a.at, a.row = b, 0, len(b.rows)
}

// Read implements io.Reader, for the sheet's scanner.
func (a *rowPrefetcher) Read(p []byte) (int, error) {
	for a.at == len(a.block.text) {
		if a.block.err != nil {
			return 0, a.block.err
		}
		a.nextBlock()
	}
	n := copy(p, a.block.text[a.at:])
	a.at += n
	return n, nil
}

// emitRow sets out to the next row, without cells if none has a value. It returns false if its
// shared strings cannot be resolved in advance.
func (a *rowPrefetcher) emitRow(strings *sharedStrings) bool {
	row, start := a.block.rows[a.row], 0
	if a.row > 0 {
		start = a.block.rows[a.row-1].cells
	}
	a.out = sheet.Row{Number: a.base + row.number, Cells: a.block.cells[start:row.cells:row.cells], Hidden: row.hidden}
	return !row.shared || a.resolveShared(strings)
}

// resolveShared replaces the numbers of shared strings by the strings.
func (a *rowPrefetcher) resolveShared(strings *sharedStrings) bool {
	a.text = a.text[:0]
	last := 0
	for i := range a.out.Cells {
		c := &a.out.Cells[i]
		if c.Kind == sharedNumber {
			s, stays, err := strings.lookup(int(binary.LittleEndian.Uint64(c.Bytes)))
			if err != nil || len(s) > strings.lim.CellBytes || len(a.text)+len(s) > maxPrefetchedText {
				return false
			}
			if !stays {
				start := len(a.text)
				a.text = append(a.text, s...)
				s = a.text[start:]
			}
			if *c = (sheet.Cell{}); len(s) > 0 {
				*c = sheet.Cell{Kind: sheet.Text, Bytes: s[:len(s):len(s)]}
			}
		}
		if c.Kind != sheet.Empty {
			last = i + 1
		}
	}
	a.out.Cells = a.out.Cells[:last]
	return true
}

// close ends the goroutines and waits for them.
func (a *rowPrefetcher) close() {
	close(a.stop)
	a.ended.Wait()
}
