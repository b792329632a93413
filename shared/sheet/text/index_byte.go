package text

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// The searches below look at eight bytes at a time. They beat bytes.IndexByte
// where what is looked for is a few bytes away, as the next quote is in CSV.
const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
	low7     = 0x7f7f7f7f7f7f7f7f
	// nearBytes is how far they look before they leave the rest to it.
	nearBytes = 64
)

// zeroByte has the high bit set in the lowest byte of w that is zero; higher
// bytes are not reliable.
func zeroByte(w uint64) uint64 { return (w - lowBits) &^ w & highBits }

// matchBytes is the index of the first c in b at or after i; len(b) where there is none.
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

// nearEither is the index of the first c or d in b at or after i; len(b) where
// there is none.
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
