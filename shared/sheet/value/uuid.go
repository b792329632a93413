package value

import (
	"bytes"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// UUID returns the cell as a UUID. It accepts upper and lower case, with or without hyphens, braces
// or "urn:uuid:". Anything else is CELL_UUID.
func (d *Decoder) UUID(c sheet.Cell) (id [16]byte, code problem.Code) {
	b, code := d.trimmedText(c)
	if code != "" {
		return id, code
	}
	if len(b) > 9 && bytes.EqualFold(b[:9], []byte("urn:uuid:")) {
		b = b[9:]
	} else if len(b) > 2 && b[0] == '{' && b[len(b)-1] == '}' {
		b = b[1 : len(b)-1]
	}
	if len(b) != 36 && len(b) != 32 {
		return id, problem.CellUUID
	}
	hyphens := len(b) == 36
	for i := range id {
		if hyphens && (i == 4 || i == 6 || i == 8 || i == 10) {
			if b[0] != '-' {
				return [16]byte{}, problem.CellUUID
			}
			b = b[1:]
		}
		high, low := hexDigit(b[0]), hexDigit(b[1])
		if high|low > 15 {
			return [16]byte{}, problem.CellUUID
		}
		id[i] = high<<4 | low
		b = b[2:]
	}
	return id, ""
}

// hexDigit returns the value of a hexadecimal digit; 16 or more for anything else.
func hexDigit(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 0xFF
}
