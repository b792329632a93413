package biff

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// Flags of a string ([MS-XLS] 2.5.293).
const (
	flagWide     = 0x01 // two bytes per character, else one
	flagPhonetic = 0x04 // followed by a phonetic guide
	flagRich     = 0x08 // followed by formatting runs
)

// TextReader reads strings that may continue in Continue records. Its position is always within
// the body of one record.
type TextReader struct {
	stream   []byte
	pos, end int
}

// NewTextReader reads from an offset in the record's body.
func NewTextReader(stream []byte, r Record, offset int) (*TextReader, error) {
	if err := r.RequireLen(offset); err != nil {
		return nil, err
	}
	return &TextReader{stream: stream, pos: r.Offset + offset, end: r.Offset + len(r.Body)}, nil
}

// textReaderAt continues at a position that Position has returned.
func textReaderAt(stream []byte, pos, end int) *TextReader {
	return &TextReader{stream: stream, pos: pos, end: end}
}

// Position returns the offset of the next string in the stream, and the end of the record in which
// it begins. ok is false if everything was read.
func (t *TextReader) Position() (pos, end int, ok bool) {
	for t.pos == t.end {
		if !t.nextRecord() {
			return 0, 0, false
		}
	}
	return t.pos, t.end, true
}

// nextRecord continues in the next record, if that continues this one.
func (t *TextReader) nextRecord() bool {
	r := Reader{stream: t.stream, pos: t.end}
	next, ok, err := r.Next()
	if err != nil || !ok || next.Type != Continue {
		return false
	}
	t.pos, t.end = next.Offset, r.pos
	return true
}

// takeBytes returns the next n bytes, which must be within one record.
func (t *TextReader) takeBytes(n int) ([]byte, error) {
	if t.end-t.pos < n {
		return nil, CorruptError("a string is truncated")
	}
	b := t.stream[t.pos : t.pos+n]
	t.pos += n
	return b, nil
}

// skip skips n bytes, across ends of records.
func (t *TextReader) skip(n int) error {
	for {
		step := min(n, t.end-t.pos)
		t.pos += step
		if n -= step; n == 0 {
			return nil
		}
		if !t.nextRecord() {
			return CorruptError("a string is truncated")
		}
	}
}

// Append appends the next string, of up to 65,535 characters, as UTF-8. Its length is a prefix of
// lengthBytes (1 or 2).
func (t *TextReader) Append(dst []byte, lengthBytes int) ([]byte, error) {
	chars, wide, trailer, err := t.readHead(lengthBytes)
	if err != nil {
		return dst, err
	}
	if dst, err = t.appendChars(dst, chars, wide); err != nil {
		return dst, err
	}
	return dst, t.skip(trailer)
}

// Skip skips the next string, with a length of two bytes.
func (t *TextReader) Skip() error {
	chars, wide, trailer, err := t.readHead(2)
	if err != nil {
		return err
	}
	if err := t.eachPiece(chars, wide, func([]byte, bool) {}); err != nil {
		return err
	}
	return t.skip(trailer)
}

// readHead reads the data before the characters: their number, their width, and the length of the
// data after them.
func (t *TextReader) readHead(lengthBytes int) (chars int, wide bool, trailer int, err error) {
	head, err := t.takeBytes(lengthBytes + 1)
	if err != nil {
		return 0, false, 0, err
	}
	chars = int(head[0])
	if lengthBytes == 2 {
		chars = int(binary.LittleEndian.Uint16(head))
	}
	flags := head[lengthBytes]
	trailer, err = t.trailerLen(flags)
	return chars, flags&flagWide != 0, trailer, err
}

// trailerLen returns the length of the data after the characters.
func (t *TextReader) trailerLen(flags byte) (int, error) {
	n := 0
	if flags&flagRich != 0 {
		b, err := t.takeBytes(2)
		if err != nil {
			return 0, err
		}
		n = 4 * int(binary.LittleEndian.Uint16(b))
	}
	if flags&flagPhonetic != 0 {
		b, err := t.takeBytes(4)
		if err != nil {
			return 0, err
		}
		size := binary.LittleEndian.Uint32(b)
		if int64(size) > int64(len(t.stream)) {
			return 0, CorruptError("a string is longer than the file")
		}
		n += int(size)
	}
	return n, nil
}

// appendChars appends that many characters.
func (t *TextReader) appendChars(dst []byte, chars int, wide bool) ([]byte, error) {
	high := rune(0) // first half of a surrogate pair
	err := t.eachPiece(chars, wide, func(piece []byte, wide bool) {
		if !wide {
			for _, c := range piece {
				dst, high = appendUnit(dst, high, rune(c))
			}
			return
		}
		for ; len(piece) >= 2; piece = piece[2:] {
			dst, high = appendUnit(dst, high, rune(binary.LittleEndian.Uint16(piece)))
		}
	})
	if high != 0 {
		dst = utf8.AppendRune(dst, utf8.RuneError)
	}
	return dst, err
}

// eachPiece iterates over that many characters. If a record ends among them, the next one begins
// with the new width.
func (t *TextReader) eachPiece(chars int, wide bool, fn func(piece []byte, wide bool)) error {
	for {
		width := 1
		if wide {
			width = 2
		}
		n := min(chars, (t.end-t.pos)/width)
		fn(t.stream[t.pos:t.pos+n*width], wide)
		t.pos += n * width
		if chars -= n; chars == 0 {
			return nil
		}
		if t.pos != t.end || !t.nextRecord() {
			return CorruptError("a string is truncated")
		}
		flags, err := t.takeBytes(1)
		if err != nil {
			return err
		}
		wide = flags[0]&flagWide != 0
	}
}

// appendUnit appends a unit of UTF-16. high is the pending first half of a surrogate pair; an
// unpaired half becomes U+FFFD.
func appendUnit(dst []byte, high, unit rune) ([]byte, rune) {
	if high != 0 {
		if r := utf16.DecodeRune(high, unit); r != utf8.RuneError {
			return utf8.AppendRune(dst, r), 0
		}
		dst = utf8.AppendRune(dst, utf8.RuneError)
	}
	if unit >= 0xd800 && unit < 0xdc00 {
		return dst, unit
	}
	return utf8.AppendRune(dst, unit), 0
}
