package charset

import (
	"bytes"
	"unicode/utf8"
)

// byteOrderMarks are the byte order marks; UTF-32's stand before UTF-16's, which one of
// them begins with.
var byteOrderMarks = []struct{ name, mark string }{
	{UTF8, "\xEF\xBB\xBF"},
	{UTF32LE, "\xFF\xFE\x00\x00"},
	{UTF32BE, "\x00\x00\xFE\xFF"},
	{UTF16LE, "\xFF\xFE"},
	{UTF16BE, "\xFE\xFF"},
}

// ByteOrderMark returns the encoding and the length of the byte order mark in front; "" and 0
// where there is none.
func ByteOrderMark(head []byte) (name string, n int) {
	for _, m := range byteOrderMarks {
		if bytes.HasPrefix(head, []byte(m.mark)) {
			return m.name, len(m.mark)
		}
	}
	return "", 0
}

// UnitBytes is how many bytes an ASCII character takes in the encoding.
func UnitBytes(name string) int {
	if w, ok := wideTransformer(name).(wideDecoder); ok {
		return w.unit
	}
	return 1
}

// HasASCIIControls reports whether a byte below a space is a control character in
// the encoding, and no part of anything else, such as a unit or an escape sequence.
func HasASCIIControls(name string) bool { return UnitBytes(name) == 1 && name != iso2022JP }

// DetectUnmarked recognises what is no text in ASCII although no byte is beyond it, from
// the head of a file of size bytes; "" for anything else. It is ISO-2022-JP, which
// changes to Japanese by an escape sequence, or UTF-16 or UTF-32 without a mark. In both, the ASCII characters that every table
// has (delimiters, digits, line ends) come with zeros on always the same side. One
// NUL that strayed into a narrow text makes an odd character now and then, but no
// line ends.
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

// isPlausible reports whether the sample is text when read so: sound characters, a
// tenth of them ASCII, none of them NUL, and line ends if it has such bytes.
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
