package xlsx

import (
	"bytes"
	"io"

	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/opc"
)

const (
	maxPrefetchReaders = 4         // one goroutine inflates the input of all of them
	blockSize          = 128 << 10 // bytes of a sheet per read
	maxInflate         = 32 << 10  // maximum bytes that a decompressor returns per read
)

// prefetchOptions configures the prefetching of a sheet's rows.
type prefetchOptions struct {
	readers       int   // number of goroutines
	minSheetBytes int64 // minimum size of a sheet in bytes: prefetching does not pay for smaller ones
	block         int   // maximum bytes of a block; more than maxInflate
	// cut returns the end of a block, at least 1. mark is the beginning of a row.
	cut func(text, mark []byte) int
}

func newPrefetchOptions(cores int) *prefetchOptions {
	return &prefetchOptions{readers: min(cores, maxPrefetchReaders), minSheetBytes: minPrefetchStrings, block: blockSize, cut: lastRowStart}
}

// canPrefetch reports whether a part can be prefetched with the same result.
func (l *prefetchOptions) canPrefetch(part *opc.Part) bool {
	return l != nil && part.IsRegular() && part.Size() >= l.minSheetBytes
}

// lastRowStart returns the apparent start of the last row of a block, so that the block ends
// between two rows, or the block's end if there is none.
func lastRowStart(text, mark []byte) int {
	if i := bytes.LastIndex(text, mark); i > 0 {
		return i
	}
	return len(text)
}

// inflater fills blocks with the inflated bytes of a sheet.
type inflater struct {
	r       io.Reader
	part    *opc.Part // the source of r
	counted int64     // bytes inflated for the blocks so far
	mark    []byte    // beginning of a row
	cut     func(text, mark []byte) int
	rest    []byte // text after the end of the last block
	err     error  // error after rest
}

// fill only uses pieces as the decompressor returns them, so that the lost part of a damaged
// file is always the same.
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
