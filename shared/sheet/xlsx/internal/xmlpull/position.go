package xmlpull

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// errExcerptEnds is why a scanner of an excerpt cannot go on: what follows is not in it.
var errExcerptEnds = errors.New("the excerpt ends")

// Position is a place between two tags of a document: all that what follows is read by. It
// stays what it is when its scanner goes on.
type Position struct {
	document string
	names    []byte
	marks    []int
	root     []byte
	uri      []byte
	alias    [][]byte
}

// Position is where the scanner stands, behind a tag that is not empty or its End.
func (s *Scanner) Position() *Position {
	return &Position{s.name, bytes.Clone(s.names), slices.Clone(s.marks), s.root, s.uri, slices.Clone(s.alias)}
}

// StartTagPrefix is how the start tag of an element of the root's vocabulary begins, without the
// space or bracket behind its name.
func (p *Position) StartTagPrefix(local string) []byte {
	tag := []byte{'<'}
	if len(p.root) > 0 {
		tag = append(append(tag, p.root...), ':')
	}
	return append(tag, local...)
}

// SameContext reports whether whatever follows is read as it is at p: the same elements are open,
// and the same prefixes are bound.
func (s *Scanner) SameContext(p *Position) bool {
	return !s.empty && len(s.alias) == len(p.alias) && len(s.marks) == len(p.marks) && bytes.Equal(s.names, p.names)
}

// OpenExcerpt makes s, which may be a zero Scanner, go on with that text at p, and end behind
// it with errExcerptEnds. The text stays as it is.
func (s *Scanner) OpenExcerpt(p *Position, text []byte) {
	s.name, s.root, s.uri, s.opened, s.empty = p.document, p.root, p.uri, true, false
	s.names, s.marks, s.alias = append(s.names[:0], p.names...), append(s.marks[:0], p.marks...), append(s.alias[:0], p.alias...)
	s.buf, s.pos, s.end, s.readErr = text, 0, len(text), errExcerptEnds
}

// Buffered is how many bytes the scanner has that it has not gone past.
func (s *Scanner) Buffered() int { return s.end - s.pos }

// ReplaceReader makes the scanner read all that it has not gone past from another reader, which
// fn makes of the one that gives it.
func (s *Scanner) ReplaceReader(fn func(io.Reader) io.Reader) {
	window := bytes.Clone(s.buf[s.pos:s.end])
	s.pos, s.end, s.readErr = 0, 0, nil
	s.r = fn(io.MultiReader(bytes.NewReader(window), s.r))
}
