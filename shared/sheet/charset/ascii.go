package charset

import "encoding/binary"

// beyondASCII returns the index of the first byte beyond ASCII in b at or after i, or len(b). It
// checks 32 bytes at a time, because most files have none.
func beyondASCII(b []byte, i int) int {
	const highs = 0x8080808080808080
	for ; i+32 <= len(b); i += 32 {
		w := binary.LittleEndian.Uint64(b[i:]) | binary.LittleEndian.Uint64(b[i+8:]) |
			binary.LittleEndian.Uint64(b[i+16:]) | binary.LittleEndian.Uint64(b[i+24:])
		if w&highs != 0 {
			break
		}
	}
	for ; i < len(b) && b[i] < 0x80; i++ {
	}
	return i
}
