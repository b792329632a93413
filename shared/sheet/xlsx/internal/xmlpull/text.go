package xmlpull

import (
	"bytes"
	"unicode/utf8"
)

// maxEntity is the length of the longest character reference, including a reasonable number of
// leading zeros.
const maxEntity = 16

// Text returns the character data from the current element up to the next tag: entities are
// resolved, line ends become \n, CDATA is included, comments are omitted. A text of more than limit
// bytes is truncated to limit + 1. The bytes are valid until the next call of the scanner.
func (s *Scanner) Text(limit int) ([]byte, error) {
	if s.empty {
		return nil, nil
	}
	if text, ok := s.plain(limit); ok {
		return text, nil
	}
	return s.assemble(limit)
}

// plain is the fast path for nearly all text: it returns the text in the window.
func (s *Scanner) plain(limit int) ([]byte, bool) {
	b := s.buf[s.pos:s.end]
	n, ok := plainTextLen(b)
	if !ok || n > limit || n+1 == len(b) || b[n+1] == '!' || b[n+1] == '?' {
		return nil, false
	}
	s.pos += n
	return b[:n], true
}

// assemble joins the pieces of a text.
func (s *Scanner) assemble(limit int) ([]byte, error) {
	s.scratch = s.scratch[:0]
	for {
		if err := s.collect(limit); err != nil {
			return nil, err
		}
		if err := s.need(2); err != nil {
			return nil, err
		}
		if c := s.buf[s.pos+1]; c != '!' && c != '?' {
			break
		}
		if err := s.appendMarkupText(limit); err != nil {
			return nil, err
		}
	}
	if len(s.scratch) <= limit && !utf8.Valid(s.scratch) {
		return nil, s.encodingError()
	}
	return s.scratch, nil
}

// truncateText keeps one byte more than the limit, by which the caller recognises the text as too
// long.
func (s *Scanner) truncateText(limit int) { s.scratch = s.scratch[:min(len(s.scratch), limit+1)] }

// collect appends decoded character data to scratch until the next '<'.
func (s *Scanner) collect(limit int) error {
	for {
		b := s.buf[s.pos:s.end]
		i := bytes.IndexByte(b, '<')
		var piece []byte
		if i >= 0 {
			piece = b[:i]
		} else {
			piece = b[:completePrefix(b)]
		}
		var err error
		if s.scratch, err = s.appendText(s.scratch, piece); err != nil {
			return err
		}
		s.pos += len(piece)
		s.truncateText(limit)
		if i >= 0 {
			return nil
		}
		if err := s.fill(); err != nil {
			return s.unexpectedEOF(err)
		}
	}
}

// completePrefix returns the length of b without a reference or a line end that may continue after
// it.
func completePrefix(b []byte) int {
	tail := max(0, len(b)-maxEntity)
	if i := bytes.LastIndexByte(b[tail:], '&'); i >= 0 && bytes.IndexByte(b[tail+i:], ';') < 0 {
		return tail + i
	}
	if len(b) > 0 && b[len(b)-1] == '\r' {
		return len(b) - 1
	}
	return len(b)
}

// appendMarkupText appends the CDATA section at pos to scratch, or skips the comment or processing
// instruction there.
func (s *Scanner) appendMarkupText(limit int) error {
	if s.buf[s.pos+1] == '?' {
		return s.skipMarkup()
	}
	cdata, err := s.enterBang()
	if err != nil {
		return err
	}
	if !cdata {
		return s.skipPast("-->")
	}
	return s.section(limit)
}

// section appends the rest of a CDATA section to scratch.
func (s *Scanner) section(limit int) error {
	const mark = "]]>"
	for {
		b := s.buf[s.pos:s.end]
		i := bytes.Index(b, []byte(mark))
		var piece []byte
		if i >= 0 {
			piece = b[:i]
		} else {
			piece = bytes.TrimSuffix(b[:max(0, len(b)-len(mark))], []byte("\r"))
		}
		s.scratch = appendLines(s.scratch, piece)
		s.pos += len(piece)
		s.truncateText(limit)
		if i >= 0 {
			s.pos += len(mark)
			return nil
		}
		if err := s.fill(); err != nil {
			return s.unexpectedEOF(err)
		}
	}
}

// appendLines appends text with its line ends, \r\n and \r, converted to \n.
func appendLines(dst, b []byte) []byte {
	for {
		i := bytes.IndexByte(b, '\r')
		if i < 0 {
			return append(dst, b...)
		}
		dst = append(append(dst, b[:i]...), '\n')
		b = bytes.TrimPrefix(b[i+1:], []byte("\n"))
	}
}

// Unescape returns an attribute's value with its references resolved.
func (s *Scanner) Unescape(value []byte) ([]byte, error) {
	out := value
	if bytes.IndexByte(value, '&') >= 0 || bytes.IndexByte(value, '\r') >= 0 {
		var err error
		if out, err = s.appendText(nil, value); err != nil {
			return nil, err
		}
	}
	if !utf8.Valid(out) {
		return nil, s.encodingError()
	}
	return out, nil
}

// appendText decodes a piece of character data.
func (s *Scanner) appendText(dst, b []byte) ([]byte, error) {
	for {
		i := bytes.IndexByte(b, '&')
		if i < 0 {
			return appendLines(dst, b), nil
		}
		dst = appendLines(dst, b[:i])
		r, n, err := s.reference(b[i:])
		if err != nil {
			return nil, err
		}
		dst = utf8.AppendRune(dst, r)
		b = b[i+n:]
	}
}

// reference decodes the reference at the start of b and returns its character and its length.
func (s *Scanner) reference(b []byte) (rune, int, error) {
	end := bytes.IndexByte(b[:min(len(b), maxEntity+1)], ';')
	if end < 0 {
		return 0, 0, s.corruptError("has an & that does not start a reference")
	}
	name := b[1:end]
	switch string(name) {
	case "amp":
		return '&', end + 1, nil
	case "lt":
		return '<', end + 1, nil
	case "gt":
		return '>', end + 1, nil
	case "quot":
		return '"', end + 1, nil
	case "apos":
		return '\'', end + 1, nil
	}
	if len(name) < 2 || name[0] != '#' {
		return 0, 0, s.unsafeError("a custom entity")
	}
	r, ok := codePoint(name[1:])
	if !ok {
		return 0, 0, s.corruptError("has a reference to a character that does not exist")
	}
	return r, end + 1, nil
}

// codePoint parses the number of a character, decimal or x and hexadecimal.
func codePoint(digits []byte) (rune, bool) {
	base := rune(10)
	if digits[0] == 'x' || digits[0] == 'X' {
		base, digits = 16, digits[1:]
	}
	r := rune(0)
	for _, c := range digits {
		d := rune(99)
		switch {
		case c >= '0' && c <= '9':
			d = rune(c - '0')
		case c >= 'a' && c <= 'f':
			d = rune(c-'a') + 10
		case c >= 'A' && c <= 'F':
			d = rune(c-'A') + 10
		}
		if d >= base {
			return 0, false
		}
		if r = r*base + d; r > utf8.MaxRune {
			return 0, false
		}
	}
	return r, len(digits) > 0 && utf8.ValidRune(r)
}
