// Package biff parses the records in the stream of an old workbook ([MS-XLS]; also BIFF5, as far
// as it is the same).
//
// It works on the stream in memory and checks every length against the available data. All
// errors are FILE_CORRUPT.
package biff

import (
	"encoding/binary"

	"github.com/loadbay/loadbay/shared/sheet"
)

// The types of the records that are read.
const (
	Integer2     = 0x0002
	Number2      = 0x0003
	Label2       = 0x0004
	BoolErr2     = 0x0005
	Formula      = 0x0006
	String2      = 0x0007
	EOF          = 0x000a
	Array2       = 0x0021
	Date1904     = 0x0022
	FilePass     = 0x002f
	Table2       = 0x0036
	TableTwo2    = 0x0037
	Continue     = 0x003c
	CodePage     = 0x0042
	ColInfo      = 0x007d
	RK2          = 0x007e
	BoundSheet   = 0x0085
	SharedFml5   = 0x00bc
	MulRK        = 0x00bd
	RString      = 0x00d6
	InterfaceHdr = 0x00e1
	RRDHead      = 0x0138
	UsrExcl      = 0x0194
	FileLock     = 0x0195
	RRDInfo      = 0x0196
	XF           = 0x00e0
	MergedCells  = 0x00e5
	SST          = 0x00fc
	LabelSST     = 0x00fd
	Number       = 0x0203
	Label        = 0x0204
	BoolErr      = 0x0205
	Formula3     = 0x0206
	String       = 0x0207
	Row          = 0x0208
	Array        = 0x0221
	Table        = 0x0236
	RK           = 0x027e
	Formula4     = 0x0406
	Format       = 0x041e
	SharedFmla   = 0x04bc
	BOF          = 0x0809

	// The oldest versions have other BOF types.
	BOF2 = 0x0009
	BOF3 = 0x0209
	BOF4 = 0x0409
)

// headLen is the length of a record's header: type and length.
const headLen = 4

// Record is one record. Its body points into the stream.
type Record struct {
	Type   uint16
	Body   []byte
	Offset int // offset of its body in the stream
}

// Reader iterates over records.
type Reader struct {
	stream []byte
	pos    int
}

// NewReader returns a reader that starts at an offset of the stream.
func NewReader(stream []byte, pos int) *Reader { return &Reader{stream: stream, pos: pos} }

// Next returns the next record; false at the end of the stream.
func (r *Reader) Next() (Record, bool, error) {
	if r.pos < 0 || r.pos > len(r.stream)-headLen {
		return Record{}, false, nil
	}
	id := binary.LittleEndian.Uint16(r.stream[r.pos:])
	n := int(binary.LittleEndian.Uint16(r.stream[r.pos+2:]))
	start := r.pos + headLen
	if n > len(r.stream)-start {
		return Record{}, false, CorruptError("a record is truncated")
	}
	r.pos = start + n
	return Record{Type: id, Body: r.stream[start:r.pos:r.pos], Offset: start}, true, nil
}

// Uint16 decodes a number in the record's body.
func (r Record) Uint16(offset int) (uint16, error) {
	if len(r.Body) < offset+2 {
		return 0, CorruptError("a record is too short")
	}
	return binary.LittleEndian.Uint16(r.Body[offset:]), nil
}

// RequireLen checks that the body has at least n bytes.
func (r Record) RequireLen(n int) error {
	if len(r.Body) < n {
		return CorruptError("a record is too short")
	}
	return nil
}

// CorruptError returns an error of the file.
func CorruptError(what string) error {
	return sheet.DamagedError(nil, "%s", what)
}
