package xmlpull

import "unicode/utf8"

// Leaf passes over <name>text</name>, if just that comes next: no white space
// before it, no prefix, no attributes, and text that stands as it is. False
// leaves everything to Next. It is a shortcut for what makes up most of a
// sheet. The text is valid until the next call of the scanner.
func (s *Scanner) Leaf(name string, limit int) ([]byte, bool) {
	const brackets = len("<></>")
	b := s.buf[s.pos:s.end]
	if s.empty || len(s.root) > 0 || len(b) < 2*len(name)+brackets {
		return nil, false
	}
	if b[0] != '<' || string(b[1:1+len(name)]) != name || b[1+len(name)] != '>' {
		return nil, false
	}
	text := b[len(name)+2:]
	size, ok := PlainText(text)
	end := size + len(name) + 3
	if !ok || size > limit || len(text) < end {
		return nil, false
	}
	if text[size+1] != '/' || string(text[size+2:end-1]) != name || text[end-1] != '>' {
		return nil, false
	}
	s.pos += len(name) + 2 + end
	return text[:size], true
}

// Window is what the scanner has of the text behind the tag that it has read, for
// shortcuts as Leaf is one: nothing where elements have a prefix, or where the tag is
// empty. It is valid until the next call of the scanner.
func (s *Scanner) Window() []byte {
	if s.empty || len(s.root) > 0 {
		return nil
	}
	return s.buf[s.pos:s.end]
}

// Advance passes over that many bytes of the window, which must be whole elements.
func (s *Scanner) Advance(n int) { s.pos += n }

// PlainText is the length of the text at the start of b if it stands as it
// is: it ends in b, without references or line ends to resolve, in UTF-8.
func PlainText(b []byte) (int, bool) {
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
