// Package dupkeys finds the rows of a file that name an entity which another row of it
// names as well, before any of them is written.
//
// The chunks of a file are written in any order. Of two rows about one entity the later
// one wins, because each leaves its number with what it writes. A row that changes nothing
// may only be left unwritten, and so without its number, if no other row is about its
// entity.
package dupkeys

import "slices"

// Rows are the rows of a chunk that have a key which is another row's as well. nil is a
// chunk of which nobody knows: any of its rows may have one.
type Rows struct {
	first int64 // row of the chunk
	lines int
	bits  []byte // of each row from there on, the lowest first; what is missing is 0
}

// Decode returns what Bits has returned for a chunk that begins with that row; nil bits are
// those of a chunk of which nobody knows.
func Decode(first int64, lines int, bits []byte) *Rows {
	if bits == nil {
		return nil
	}
	return &Rows{first: first, lines: lines, bits: bits}
}

// Has reports whether the row may have a key that is another row's as well: so may any row
// of another chunk.
func (r *Rows) Has(row int64) bool {
	if r == nil || row < r.first || row >= r.first+int64(r.lines) {
		return true
	}
	at := row - r.first
	return at/8 < int64(len(r.bits)) && r.bits[at/8]&(1<<(at%8)) != 0
}

// Encode returns what is known of the lines from first on: not nil, and empty where none of
// them has a key of another. Rows are those that Find has returned.
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
