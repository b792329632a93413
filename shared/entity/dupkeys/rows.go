// Package dupkeys finds the rows of a file that name the same entity as another row, before
// any row is written.
//
// The chunks of a file are written in any order. Of two rows about one entity the later one
// wins, because each row records its number in the entity. A row that changes nothing may be
// skipped, without recording its number, only if no other row is about the same entity.
package dupkeys

import "slices"

// Rows holds the rows of a chunk that share a key with another row. nil means that this is
// unknown: any row of the chunk may share a key.
type Rows struct {
	first int64 // first row of the chunk
	lines int
	bits  []byte // one bit per row from first on, lowest bit first; missing bits are 0
}

// Decode returns the rows that Encode has encoded, for a chunk that begins with row first; nil
// bits mean that the duplicates are unknown.
func Decode(first int64, lines int, bits []byte) *Rows {
	if bits == nil {
		return nil
	}
	return &Rows{first: first, lines: lines, bits: bits}
}

// Has reports whether the row may share a key with another row. It returns true for rows
// outside of the chunk.
func (r *Rows) Has(row int64) bool {
	if r == nil || row < r.first || row >= r.first+int64(r.lines) {
		return true
	}
	at := row - r.first
	return at/8 < int64(len(r.bits)) && r.bits[at/8]&(1<<(at%8)) != 0
}

// Encode encodes the rows returned by Find for the lines from first on. The result is never
// nil; it is empty if none of the lines shares a key.
func Encode(rows []int64, first int64, lines int) []byte {
	bits := []byte{}
	from, _ := slices.BinarySearch(rows, first)
	for _, row := range rows[from:] {
		at := row - first
		if at >= int64(lines) {
			break
		}
		for int64(len(bits)) <= at/8 {
			bits = append(bits, 0)
		}
		bits[at/8] |= 1 << (at % 8)
	}
	return bits
}
