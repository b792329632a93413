package xmlpull

import "unicode/utf8"

// SkipEnclosed skips begin, text and end, if exactly that comes next: for example <v> and </v>
// without white space before, without attributes, and with text that needs no decoding. begin and
// end together are whole elements without prefixes. If it returns false, the caller must use Next.
// It is a shortcut for most of a sheet. The text is valid until the next call of the scanner.
func (s *Scanner) SkipEnclosed(begin, end string, limit int) ([]byte, bool) {
	text, size := Enclosed(s.Window(), begin, end, limit)
	s.pos += size
	return text, size > 0
}

// Enclosed returns the text between begin and end at the start of b, if it has at most limit bytes
// and needs no decoding, and the size of all three; 0 if b begins differently.
func Enclosed(b []byte, begin, end string, limit int) (text []byte, size int) {
	if len(b) < len(begin)+len(end) || string(b[:len(begin)]) != begin {
		return nil, 0
	}
	text = b[len(begin):]
	n, ok := plainTextLen(text)
	if !ok || n > limit || len(text)-n < len(end) || string(text[n:n+len(end)]) != end {
		return nil, 0
	}
	return text[:n], len(begin) + n + len(end)
}

// Window returns the buffered text after the current tag, for shortcuts: nothing if elements have
// a prefix, or if the tag is empty. It is valid until the next call of the scanner.
func (s *Scanner) Window() []byte {
	if s.empty || len(s.root) > 0 {
		return nil
	}
	return s.buf[s.pos:s.end]
}

// Advance skips that many bytes of the window, which must be whole elements.
func (s *Scanner) Advance(n int) { s.pos += n }

// plainTextLen returns the length of the text at the start of b if it needs no decoding: it ends in
// b, without references or line ends to resolve, in UTF-8.
func plainTextLen(b []byte) (int, bool) {
	ascii := byte(0)
	for i, c := range b {
		switch c {
		case '<':
			return i, ascii < utf8.RuneSelf || utf8.Valid(b[:i])
		case '&', '\r':
			return 0, false
		}
		ascii |= c
	}
	return 0, false
}
