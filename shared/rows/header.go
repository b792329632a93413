package rows

import (
	"bytes"

	"github.com/loadbay/loadbay/shared/sheet"
)

// Header recognises rows that repeat a file's header, as in files that were concatenated from
// several.
type Header [][]byte // folded cells

// NewHeader returns the header of a file of the dialect.
func NewHeader(d *sheet.Dialect) Header {
	cells := make(Header, len(d.Header))
	for i, h := range d.Header {
		cells[i] = bytes.ToLower(bytes.TrimSpace([]byte(h)))
	}
	return cells
}

// RepeatedBy reports whether a row repeats the header, in any case. Trailing cells may be
// missing.
func (h Header) RepeatedBy(row *sheet.Row) bool {
	if len(h) == 0 || len(row.Cells) > len(h) {
		return false
	}
	for i := range h {
		if !bytes.Equal(bytes.ToLower(bytes.TrimSpace(cellAt(row, i).DisplayText())), h[i]) {
			return false
		}
	}
	return true
}
