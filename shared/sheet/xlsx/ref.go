package xlsx

import "bytes"

// parseRow parses a row number: digits, at least 1. Numbers too large for a sheet result in one
// beyond its last row.
func parseRow(b []byte) (int64, bool) {
	n := int64(0)
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = min(n*10+int64(c-'0'), maxRows+1)
	}
	return n, n > 0
}

// parseRef parses a cell's reference in the row with these digits and returns the column, from
// 0. It returns false for an invalid reference or one to another row.
func parseRef(ref, digits []byte) (int, bool) {
	column, i := 0, 0
	for ; i < len(ref); i++ {
		c := ref[i] &^ 0x20 // to upper case
		if c < 'A' || c > 'Z' {
			break
		}
		column = min(column*26+int(c-'A')+1, maxColumns+1)
	}
	if i == 0 || !bytes.Equal(ref[i:], digits) {
		return 0, false
	}
	return column - 1, true
}
