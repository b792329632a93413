package charset

import (
	"bytes"
	"unicode/utf8"
)

// byteOrderMarks are the byte order marks. UTF-32 precedes UTF-16, because one of its marks
// begins with one of UTF-16's.
var byteOrderMarks = []struct{ name, mark string }{
	{UTF8, "\xEF\xBB\xBF"},
	{UTF32LE, "\xFF\xFE\x00\x00"},
	{UTF32BE, "\x00\x00\xFE\xFF"},
	{UTF16LE, "\xFF\xFE"},
	{UTF16BE, "\xFE\xFF"},
}

// ByteOrderMark returns the encoding and the length of a leading byte order mark, or "" and 0.
func ByteOrderMark(head []byte) (name string, n int) {
	for _, m := range byteOrderMarks {
		if bytes.HasPrefix(head, []byte(m.mark)) {
			return m.name, len(m.mark)
		}
	}
	return "", 0
}

// UnitBytes returns the size of an ASCII character in the encoding.
func UnitBytes(name string) int {
	if w, ok := wideTransformer(name).(wideDecoder); ok {
		return w.unit
	}
	return 1
}

// HasASCIIControls reports whether a byte below a space is always a control character in the
// encoding, and never part of a unit or an escape sequence.
func HasASCIIControls(name string) bool { return UnitBytes(name) == 1 && name != iso2022JP }

// DetectUnmarked detects encodings that may look like ASCII, from the head of a file of
// size bytes; it returns "" for anything else. They are ISO-2022-JP, which switches to Japanese
// with an escape sequence, and UTF-16 and UTF-32 without a mark. In the latter two, the ASCII
// characters that every table contains (delimiters, digits, line ends) have zero bytes always on
// the same side. A stray NUL in an 8-bit text results in a few odd characters, but not in line
// ends.
func DetectUnmarked(head []byte, size int64) string {
	if bytes.Contains(head, []byte("\x1B$B")) || bytes.Contains(head, []byte("\x1B$@")) {
		return iso2022JP
	}
	if bytes.IndexByte(head, 0) < 0 {
		return ""
	}
	for _, name := range []string{UTF32LE, UTF32BE, UTF16LE, UTF16BE} {
		if w := wideTransformer(name).(wideDecoder); size%int64(w.unit) == 0 && w.isPlausible(head) {
			return name
		}
	}
	return ""
}

// isPlausible reports whether the decoded sample is text: valid characters, a tenth of them
// ASCII, no NUL, and line ends if there are such bytes.
func (w wideDecoder) isPlausible(b []byte) bool {
	total, ascii, ends := 0, 0, 0
	for len(b) >= w.unit {
		r, n := w.rune(b)
		if n == 0 {
			break
		}
		if r == 0 || !utf8.ValidRune(r) {
			return false
		}
		total++
		if r < utf8.RuneSelf {
			ascii++
		}
		if r == '\n' || r == '\r' {
			ends++
		}
		b = b[n:]
	}
	return total > 0 && ascii*10 >= total && (ends > 0 || total == ascii)
}
