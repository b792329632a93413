package value

import (
	"bytes"
	"fmt"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Enum is the set of words that an enum column accepts. It is safe for concurrent use.
type Enum struct{ index map[string]int }

// NewEnum returns an enum of the words. It returns an error if two words differ only in case or
// surrounding white space.
func NewEnum(words ...string) (*Enum, error) {
	e := &Enum{index: make(map[string]int, len(words))}
	for i, w := range words {
		key := string(appendLower(nil, trimSpace([]byte(w))))
		if first, taken := e.index[key]; taken {
			return nil, fmt.Errorf("enum: %q and %q are the same word", words[first], w)
		}
		e.index[key] = i
	}
	return e, nil
}

// Enum returns the index of the cell's word among those of e. Any other word is CELL_ENUM.
func (d *Decoder) Enum(c sheet.Cell, e *Enum) (int, problem.Code) {
	b, code := d.trimmedText(c)
	if code != "" {
		return 0, code
	}
	d.buf = appendLower(d.buf[:0], b)
	if i, known := e.index[string(d.buf)]; known {
		return i, ""
	}
	return 0, problem.CellEnum
}

// appendLower appends b in lower case.
func appendLower(dst, b []byte) []byte {
	for _, c := range b {
		if c >= 0x80 {
			return append(dst, bytes.ToLower(b)...)
		}
	}
	return appendLowerASCII(dst, b)
}
