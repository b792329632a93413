// Package opc reads the parts of an Open Packaging Conventions file: the ZIP
// archive of a modern workbook (ECMA-376 part 2).
//
// It reads the file by ranges, from the directory at its end, and trusts no
// number in it. Truncated archives, overlapping entries, and wrong sizes and
// checksums are FILE_CORRUPT; parts that inflate beyond the limits are
// FILE_TOO_COMPRESSED, detected while inflating; encrypted parts are
// FILE_ENCRYPTED.
package opc

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

const (
	// maxWholeFile is the maximum size of a file that is read at once: one request instead of
	// some eight.
	maxWholeFile = 1 << 20
	// freeInflation may always be inflated, however small the file is: compression ratios of small
	// files are meaningless, and this amount is harmless.
	freeInflation = 1 << 20
)

// Package is an open archive.
type Package struct {
	ctx   context.Context // context of all reads; parts outlive Open
	src   io.ReaderAt
	size  int64
	parts map[string]entry // by canonical name

	allowance int64        // maximum bytes to inflate in total
	inflated  atomic.Int64 // bytes inflated so far, in all parts
}

// Open reads the directory of the archive.
func Open(ctx context.Context, src sheet.Source, lim sheet.Limits) (*Package, error) {
	size := src.Size()
	if size == 0 {
		return nil, problem.New(problem.FileEmpty, "The file is empty.")
	}
	p := &Package{ctx: ctx, src: src, size: size, allowance: allowance(size, lim)}
	if size <= maxWholeFile {
		block, err := p.read(0, size)
		if err != nil {
			return nil, err
		}
		p.src = memorySource(block)
	}
	if err := p.directory(); err != nil {
		return nil, err
	}
	return p, nil
}

func allowance(size int64, lim sheet.Limits) int64 {
	most := lim.Decompressed
	if lim.Ratio > 0 && size <= most/lim.Ratio {
		most = min(most, max(freeInflation, size*lim.Ratio))
	}
	return most
}

// Has reports whether the archive has a part with that name.
func (p *Package) Has(name string) bool {
	_, found := p.parts[canonicalName(name)]
	return found
}

// read returns n bytes of the file at off. A file that ends before its size is an error of the
// source, not of the file.
func (p *Package) read(off, n int64) ([]byte, error) {
	if err := p.ctx.Err(); err != nil {
		return nil, err
	}
	b := make([]byte, n)
	got, err := p.src.ReadAt(b, off)
	if int64(got) == n {
		return b, nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return nil, fmt.Errorf("read %d bytes at %d: %w", n, off, err)
}

// memorySource is a file in memory.
type memorySource []byte

func (m memorySource) ReadAt(b []byte, off int64) (int, error) {
	if off < 0 || off > int64(len(m)) {
		return 0, io.EOF
	}
	n := copy(b, m[off:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}
