package xls

import (
	"encoding/binary"

	"github.com/loadbay/loadbay/shared/sheet/xls/internal/biff"
)

// appendString appends the string at an offset of the record, with a length prefix of
// lengthBytes.
func (w *workbook) appendString(dst []byte, r biff.Record, offset, lengthBytes int) ([]byte, error) {
	if w.version == biff8 {
		text, err := biff.NewTextReader(w.stream, r, offset)
		if err != nil {
			return dst, err
		}
		return text.Append(dst, lengthBytes)
	}
	return w.appendBytes(dst, r, offset, lengthBytes)
}

// appendBytes is appendString for the versions with strings of bytes.
func (w *workbook) appendBytes(dst []byte, r biff.Record, offset, lengthBytes int) ([]byte, error) {
	if err := r.RequireLen(offset + lengthBytes); err != nil {
		return dst, err
	}
	n := int(r.Body[offset])
	if lengthBytes == 2 {
		n = int(binary.LittleEndian.Uint16(r.Body[offset:]))
	}
	offset += lengthBytes
	if err := r.RequireLen(offset + n); err != nil {
		return dst, err
	}
	text := r.Body[offset : offset+n]
	w.guessedCodepage = w.guessedCodepage || !w.codepage.isStated && !isASCII(text)
	return w.codepage.append(dst, text)
}

// noteGuessedText records whether a cell's text is in a code page that is not stated.
func (w *workbook) noteGuessedText(r biff.Record) {
	switch r.Type {
	case biff.Label, biff.RString, biff.Label2:
		w.guessedCodepage = w.guessedCodepage || !isASCII(r.Body[min(valueAt, len(r.Body)):])
	}
}
