package xlsx

import (
	"bytes"
	"io"

	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/opc"
)

const (
	maxPrefetchReaders = 4         // one goroutine inflates what these read
	blockSize          = 128 << 10 // bytes of a sheet that are read at a time
	maxInflate         = 32 << 10  // bytes that a decompressor returns at a time, where there is room
)

// prefetchOptions is how the rows of a sheet are read before they are asked for.
type prefetchOptions struct {
	readers       int   // goroutines
	minSheetBytes int64 // bytes of a sheet: the rows of a smaller one are read before they are missed
	block         int   // bytes of a block, at most: more than maxInflate
	// cut is where a block of a sheet ends, whose rows begin with that mark: at 1 at least.
	cut func(text, mark []byte) int
}

func newPrefetchOptions(cores int) *prefetchOptions {
	return &prefetchOptions{readers: min(cores, maxPrefetchReaders), minSheetBytes: minPrefetchStrings, block: blockSize, cut: lastRowStart}
}

// canPrefetch reports whether a part is read ahead, so that what comes of it is the same.
func (l *prefetchOptions) canPrefetch(part *opc.Part) bool {
	return l != nil && part.IsRegular() && part.Size() >= l.minSheetBytes
}

// lastRowStart is where the last row of a block seems to begin, so that the block ends
// between two rows; the block's end, where none does.
func lastRowStart(text, mark []byte) int {
	if i := bytes.LastIndex(text, mark); i > 0 {
		return i
	}
	return len(text)
}

// inflater fills blocks with what is inflated of a sheet.
type inflater struct {
	r       io.Reader
	part    *opc.Part // from which r reads
	counted int64     // bytes that were inflated for the blocks so far
	mark    []byte    // how a row begins
	cut     func(text, mark []byte) int
	rest    []byte // behind the end of the last block
	err     error  // why there is no more than that
}

// fill takes only pieces as the decompressor returns them: so what is left out of a damaged
// part is always the same.
func (f *inflater) fill(b *rowBlock) {
	b.reset(f.rest)
	for f.err == nil && cap(b.text)-len(b.text) >= maxInflate {
		var n int
		n, f.err = f.r.Read(b.text[len(b.text):cap(b.text)])
		b.text = b.text[:len(b.text)+n]
	}
	b.inflated = f.part.Inflated() - f.counted
	f.counted += b.inflated
	if len(b.text) > 0 {
		end := f.cut(b.text, f.mark)
		f.rest, b.text = append(f.rest[:0], b.text[end:]...), b.text[:end]
	}
	if len(f.rest) == 0 {
		b.err = f.err
	}
}
