package xmlpull

import "bytes"

// nameEnd marks the bytes that cannot appear in a name.
var nameEnd = [256]bool{
	'>': true, '/': true, '=': true, '<': true, '&': true, '"': true, '\'': true,
	' ': true, '\n': true, '\t': true, '\r': true, 0: true,
}

// startTag reads the tag at pos; the window grows until it contains all of it.
func (s *Scanner) startTag() error {
	for {
		n, err := s.parseStart(s.buf[s.pos:s.end])
		if err != nil {
			return err
		}
		if n > 0 {
			s.pos += n
			return nil
		}
		if err := s.fill(); err != nil {
			return s.unexpectedEOF(err)
		}
	}
}

// parseStart parses the tag at the start of b and returns its length, or 0 if it is incomplete.
func (s *Scanner) parseStart(b []byte) (int, error) {
	i, colon := 1, 0
	for i < len(b) && !nameEnd[b[i]] {
		if b[i] == ':' && colon == 0 {
			colon = i
		}
		i++
	}
	name := b[1:i]
	if i == len(b) {
		return 0, nil
	}
	if len(name) == 0 || len(name) > maxName {
		return 0, s.corruptError("has a tag without a name or with a name that is too long")
	}
	s.attrs, s.bound = s.attrs[:0], false
	s.prefix, s.local = nil, name
	if colon > 0 {
		s.prefix, s.local = b[1:colon], b[colon+1:i]
	}
	for {
		start := i
		for i < len(b) && isSpace(b[i]) {
			i++
		}
		if i == len(b) {
			return 0, nil
		}
		switch b[i] {
		case '>':
			return i + 1, s.push(name, false)
		case '/':
			if i+1 == len(b) {
				return 0, nil
			}
			if b[i+1] != '>' {
				return 0, s.corruptError("has a stray / in a tag")
			}
			return i + 2, s.push(name, true)
		}
		if i == start {
			return 0, s.corruptError("has a tag with attributes without space between them")
		}
		n, err := s.parseAttr(b[i:])
		if n == 0 || err != nil {
			return 0, err
		}
		i += n
	}
}

// parseAttr parses one attribute at the start of b and returns its length, or 0 if it is
// incomplete.
func (s *Scanner) parseAttr(b []byte) (int, error) {
	i, colon := 0, -1
	for i < len(b) && !nameEnd[b[i]] {
		if b[i] == ':' && colon < 0 {
			colon = i
		}
		i++
	}
	nameLen := i
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	if i == len(b) {
		return 0, nil
	}
	if nameLen == 0 || nameLen > maxName || b[i] != '=' {
		return 0, s.corruptError("has an attribute without a name or a value")
	}
	i++
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	if i == len(b) {
		return 0, nil
	}
	quote := b[i]
	if quote != '"' && quote != '\'' {
		return 0, s.corruptError("has an attribute without quotes")
	}
	i++
	start := i
	for i < len(b) && b[i] != quote {
		if b[i] == '<' {
			return 0, s.corruptError("has a < in an attribute")
		}
		i++
	}
	if i == len(b) {
		return 0, nil
	}
	a := Attr{Local: b[:nameLen], Value: b[start:i]}
	if colon >= 0 {
		a.Prefix, a.Local = b[:colon], b[colon+1:nameLen]
	}
	if len(s.attrs) == maxAttrs {
		return 0, s.corruptError("has a tag with too many attributes")
	}
	s.attrs = append(s.attrs, a)
	s.bound = s.bound || nameLen >= len("xmlns") && b[0] == 'x'
	return i + 1, nil
}

// push opens an element.
func (s *Scanner) push(name []byte, empty bool) error {
	if len(s.marks) == 0 {
		if s.opened {
			return s.corruptError("has a second root element")
		}
		s.opened = true
		s.root = bytes.Clone(s.prefix)
		s.uri = s.namespace(s.root)
	}
	if len(s.marks) == maxDepth {
		return s.corruptError("has elements nested too deeply")
	}
	s.marks = append(s.marks, len(s.names))
	s.names = append(s.names, name...)
	s.empty = empty
	if s.bound {
		s.aliases()
	}
	return nil
}

// namespace returns the namespace to which the current tag binds the prefix.
func (s *Scanner) namespace(prefix []byte) []byte {
	for _, a := range s.attrs {
		isDefault := len(a.Prefix) == 0 && string(a.Local) == "xmlns"
		if len(prefix) == 0 && isDefault || string(a.Prefix) == "xmlns" && bytes.Equal(a.Local, prefix) {
			return bytes.Clone(a.Value)
		}
	}
	return nil
}

// aliases records the prefixes that the current tag binds to the namespace of the root.
func (s *Scanner) aliases() {
	for i := range s.attrs {
		a := &s.attrs[i]
		if len(s.alias) == maxAttrs {
			return
		}
		var prefix []byte
		switch {
		case string(a.Prefix) == "xmlns":
			prefix = a.Local
		case len(a.Prefix) > 0 || string(a.Local) != "xmlns":
			continue
		}
		if bytes.Equal(a.Value, s.uri) && !bytes.Equal(prefix, s.root) {
			s.alias = append(s.alias, bytes.Clone(prefix))
		}
	}
}

// endTag reads the end tag at pos and closes its element.
func (s *Scanner) endTag() error {
	if len(s.marks) == 0 {
		return s.corruptError("has an end tag without a start")
	}
	name := s.names[s.marks[len(s.marks)-1]:]
	n := 2 + len(name)
	if s.end-s.pos <= n {
		if err := s.need(n + 1); err != nil {
			return err
		}
	}
	if string(s.buf[s.pos+2:s.pos+n]) != string(name) {
		return s.corruptError("has an end tag that does not match its start")
	}
	s.pos += n
	for isSpace(s.buf[s.pos]) {
		s.pos++
		if err := s.need(1); err != nil {
			return err
		}
	}
	if s.buf[s.pos] != '>' {
		return s.corruptError("has an end tag that does not match its start")
	}
	s.pos++
	s.pop()
	return nil
}

func (s *Scanner) pop() {
	last := len(s.marks) - 1
	s.names = s.names[:s.marks[last]]
	s.marks = s.marks[:last]
}
