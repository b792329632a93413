package opc

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// inflateBuffer is the size of the decompressor's input buffer.
const inflateBuffer = 64 << 10

// Part is the content of one part, read from its start to its end. At the end, its length and
// checksum must equal those of the directory.
type Part struct {
	pkg  *Package
	e    entry
	span *span
	body io.Reader
	crc  uint32
	n    int64
	err  error

	countingDisabled bool // AddInflated counts the inflated bytes
}

// DisableCounting leaves the limit on inflated bytes to AddInflated: bytes of a prefetched part
// must not count before they are used.
func (p *Part) DisableCounting() { p.countingDisabled = true }

// Size returns the size of the part in bytes according to the directory.
func (p *Part) Size() int64 { return p.e.size }

// IsRegular reports whether every reader with a buffer of at least 32 KiB gets the part's bytes in
// the same pieces, and its errors with the same pieces. That is not the case for a stored part
// that is larger than declared.
func (p *Part) IsRegular() bool { return p.e.method == methodDeflate || p.e.compressedSize == p.e.size }

// Inflated returns the number of bytes of the part read so far.
func (p *Part) Inflated() int64 { return p.n }

// AddInflated adds n bytes to the package's inflated bytes, or returns FILE_TOO_COMPRESSED if that
// exceeds the limit.
func (p *Package) AddInflated(n int64) error {
	if p.inflated.Add(n) > p.allowance {
		return tooCompressedError()
	}
	return nil
}

// Part opens a part for reading. A missing one is FILE_CORRUPT.
func (p *Package) Part(name string) (*Part, error) {
	e, found := p.parts[canonicalName(name)]
	if !found {
		return nil, sheet.DamagedError(nil, "a referenced part is missing")
	}
	if e.flags&flagEncrypted != 0 {
		return nil, problem.New(problem.FileEncrypted, "The workbook is encrypted. Remove its password and try again.")
	}
	if e.method != methodStored && e.method != methodDeflate {
		return nil, problem.New(problem.UnsupportedFormat, "The compression method of the workbook is not supported.")
	}
	if e.size > p.allowance-p.inflated.Load() {
		return nil, tooCompressedError()
	}
	// The length of the local header's extra fields is unknown; header adds it.
	length := lenLocal + int64(len(e.name)) + e.compressedSize
	part := &Part{pkg: p, e: e, span: &span{ctx: p.ctx, src: p.src, off: e.offset, left: length}}
	if err := part.header(bufio.NewReaderSize(part.span, int(min(inflateBuffer, length)))); err != nil {
		return nil, err
	}
	return part, nil
}

// header skips the part's local header, which must belong to the part.
func (p *Part) header(r *bufio.Reader) error {
	head, err := r.Peek(lenLocal)
	if err != nil {
		return p.sourceOrCorrupt(err)
	}
	if binary.LittleEndian.Uint32(head) != sigLocal {
		return corruptError("a part is at an invalid position")
	}
	nameLen := int(binary.LittleEndian.Uint16(head[26:]))
	extraLen := int(binary.LittleEndian.Uint16(head[28:]))
	if !p.e.fitsBeforeNext(int64(extraLen)) {
		return corruptError("its parts overlap")
	}
	p.span.left += int64(extraLen)
	name := make([]byte, lenLocal+nameLen)
	if _, err := io.ReadFull(r, name); err != nil {
		return p.sourceOrCorrupt(err)
	}
	if string(name[lenLocal:]) != p.e.name {
		return corruptError("a part is at an invalid position")
	}
	if _, err := r.Discard(extraLen); err != nil {
		return p.sourceOrCorrupt(err)
	}
	if p.e.method == methodStored {
		p.body = r
		return nil
	}
	p.body = flate.NewReader(r)
	return nil
}

// Read inflates the part.
func (p *Part) Read(b []byte) (int, error) {
	if p.err != nil {
		return 0, p.err
	}
	n, err := p.body.Read(b)
	p.n += int64(n)
	p.crc = crc32.Update(p.crc, crc32.IEEETable, b[:n])
	switch {
	case !p.countingDisabled && p.pkg.AddInflated(int64(n)) != nil:
		p.err = tooCompressedError()
	case p.n > p.e.size:
		p.err = corruptError("a part is larger than declared")
	case err == io.EOF && p.n != p.e.size:
		p.err = corruptError("a part is smaller than declared")
	case err == io.EOF && p.crc != p.e.crc:
		p.err = corruptError("a part's checksum is wrong")
	case err != nil:
		p.err = p.sourceOrCorrupt(err)
	}
	if p.err != nil && p.err != io.EOF {
		n = 0
	}
	return n, p.err
}

// sourceOrCorrupt returns errors of the source unchanged and all others as FILE_CORRUPT.
func (p *Part) sourceOrCorrupt(err error) error {
	switch {
	case err == io.EOF:
		return err
	case p.span.err != nil:
		return p.span.err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return corruptError("a part is incomplete")
	}
	return sheet.DamagedError(err, "a part cannot be decompressed")
}

func tooCompressedError() error {
	return problem.New(problem.FileTooCompressed, "The decompressed workbook is too large. Save it as CSV and upload that file.")
}
