package sheet

import (
	"encoding/binary"
	"hash/crc32"
)

// A pack contains the rows of one chunk of a file that cannot be split into byte ranges: a
// workbook, or text in another encoding than UTF-8. Cut emits it as the body of a chunk, and
// NewPackReader reads it:
//
//	pack = "LBP1" row*
//	row  = uvarint  difference to the number of the row before (from 0)
//	       uvarint  number of cells × 2, + 1 where an error follows
//	       [uvarint length, bytes]  the error
//	       cell*
//	cell = uvarint  length × 16 + kind
//	       bytes
//
// A seven-column row takes nine bytes in addition to its text.
const packMagic = "LBP1"

// kindBits is the number of bits of a cell's head that contain its kind.
const kindBits = 4

// crcTable is the table of CRC-32C, which both S3 and the processor support.
var crcTable = crc32.MakeTable(crc32.Castagnoli)

// Checksum returns the CRC-32C of a chunk's bytes, as stored in Chunk.CRC32C.
func Checksum(body []byte) uint32 { return crc32.Checksum(body, crcTable) }

// ExtendChecksum returns the checksum of the bytes with checksum crc followed by more.
func ExtendChecksum(crc uint32, more []byte) uint32 { return crc32.Update(crc, crcTable, more) }

// PackWriter collects rows in memory. Its zero value is an empty pack.
type PackWriter struct {
	buf  []byte
	last int64
	rows int
}

// Add appends a copy of the row. Numbers must rise from row to row.
func (w *PackWriter) Add(r *Row) {
	if len(w.buf) == 0 {
		w.buf = append(w.buf, packMagic...)
	}
	w.buf = binary.AppendUvarint(w.buf, uint64(r.Number-w.last))
	head := uint64(len(r.Cells)) << 1
	if r.ErrorCode != "" {
		w.buf = binary.AppendUvarint(w.buf, head|1)
		w.buf = binary.AppendUvarint(w.buf, uint64(len(r.ErrorCode)))
		w.buf = append(w.buf, r.ErrorCode...)
	} else {
		w.buf = binary.AppendUvarint(w.buf, head)
	}
	for i := range r.Cells {
		c := &r.Cells[i]
		w.buf = binary.AppendUvarint(w.buf, uint64(len(c.Bytes))<<kindBits|uint64(c.Kind))
		w.buf = append(w.buf, c.Bytes...)
	}
	w.last = r.Number
	w.rows++
}

// Bytes returns the pack so far, valid until the next Add or Reset.
func (w *PackWriter) Bytes() []byte { return w.buf }

// Len returns the pack's size in bytes.
func (w *PackWriter) Len() int { return len(w.buf) }

// Rows returns the number of rows in the pack.
func (w *PackWriter) Rows() int { return w.rows }

// Last returns the number of the last added row, or 0.
func (w *PackWriter) Last() int64 { return w.last }

// Reset empties the pack and keeps its memory.
func (w *PackWriter) Reset() { w.buf, w.last, w.rows = w.buf[:0], 0, 0 }
