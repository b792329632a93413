package text

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// The searches below check eight bytes at a time. They are faster than bytes.IndexByte if the byte
// is only a few bytes away, as the next quote in CSV.
const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
	low7     = 0x7f7f7f7f7f7f7f7f
	// nearBytes is the distance after which they call bytes.IndexByte.
	nearBytes = 64
)

// zeroByte sets the high bit in the lowest byte of w that is zero; higher bytes are not reliable.
func zeroByte(w uint64) uint64 { return (w - lowBits) &^ w & highBits }

// matchBytes returns the index of the first c in b at or after i, or len(b).
func matchBytes(b []byte, i int, c byte) int {
	pattern := lowBits * uint64(c)
	for stop := min(i+nearBytes, len(b)-8); i <= stop; i += 8 {
		if m := zeroByte(binary.LittleEndian.Uint64(b[i:]) ^ pattern); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	if n := bytes.IndexByte(b[i:], c); n >= 0 {
		return i + n
	}
	return len(b)
}

// nearEither returns the index of the first c or d in b at or after i, or len(b).
func nearEither(b []byte, i int, c, d byte) int {
	first, second := lowBits*uint64(c), lowBits*uint64(d)
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		if m := zeroByte(w^first) | zeroByte(w^second); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for ; i < len(b); i++ {
		if b[i] == c || b[i] == d {
			return i
		}
	}
	return len(b)
}
