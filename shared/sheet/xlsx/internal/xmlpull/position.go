package xmlpull

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// errExcerptEnds is returned by a scanner of an excerpt at its end.
var errExcerptEnds = errors.New("the excerpt ends")

// Position is a place between two tags of a document, with all the context for reading the
// following text. It does not change when its scanner advances.
type Position struct {
	document string
	names    []byte
	marks    []int
	root     []byte
	uri      []byte
	alias    [][]byte
}

// Position returns the scanner's position, after a tag that is not empty or after its End.
func (s *Scanner) Position() *Position {
	return &Position{s.name, bytes.Clone(s.names), slices.Clone(s.marks), s.root, s.uri, slices.Clone(s.alias)}
}

// StartTagPrefix returns the beginning of the start tag of an element of the root's vocabulary, up
// to the end of its name.
func (p *Position) StartTagPrefix(local string) []byte {
	tag := []byte{'<'}
	if len(p.root) > 0 {
		tag = append(append(tag, p.root...), ':')
	}
	return append(tag, local...)
}

// SameContext reports whether following text is read as it is at p: the same elements are open, and
// the same prefixes are bound.
func (s *Scanner) SameContext(p *Position) bool {
	return !s.empty && len(s.alias) == len(p.alias) && len(s.marks) == len(p.marks) && bytes.Equal(s.names, p.names)
}

// OpenExcerpt makes s, which may be a zero Scanner, continue at p with that text, and end after it
// with errExcerptEnds. The text is not modified.
func (s *Scanner) OpenExcerpt(p *Position, text []byte) {
	s.name, s.root, s.uri, s.opened, s.empty = p.document, p.root, p.uri, true, false
	s.names, s.marks, s.alias = append(s.names[:0], p.names...), append(s.marks[:0], p.marks...), append(s.alias[:0], p.alias...)
	s.buf, s.pos, s.end, s.readErr = text, 0, len(text), errExcerptEnds
}

// Buffered returns the number of unread bytes in the scanner's window.
func (s *Scanner) Buffered() int { return s.end - s.pos }

// ReplaceReader makes the scanner read the rest of the document from another reader, which fn
// returns for a reader of that rest.
func (s *Scanner) ReplaceReader(fn func(io.Reader) io.Reader) {
	window := bytes.Clone(s.buf[s.pos:s.end])
	s.pos, s.end, s.readErr = 0, 0, nil
	s.r = fn(io.MultiReader(bytes.NewReader(window), s.r))
}
