// Package xmlpull reads the XML of spreadsheet parts at the speed of memory:
// a pull scanner over a window of bytes, which allocates nothing per element.
//
// It supports the XML of such parts and rejects the rest. Document type
// declarations, and entities that require them, are FILE_UNSAFE_XML. XML that is
// not well-formed (unmatched end tags, a document that ends early, attributes
// without quotes) is FILE_CORRUPT; text that is not UTF-8 is ENCODING_INVALID.
// UTF-16 documents are read as well.
//
// Elements of other vocabularies than the root's, as in mc:AlternateContent or
// the extensions of newer programs, are skipped with their contents. Prefixes
// are compared, not scoped: a prefix that is bound to the root's namespace
// anywhere denotes it in the whole document.
package xmlpull

import (
	"bytes"
	"io"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Token is the kind of markup that Next has found.
type Token uint8

// The tokens. Character data is not a token: Text reads it on demand.
const (
	Start Token = iota + 1
	End
	EOF
)

const (
	windowSize = 64 << 10
	maxTag     = 1 << 20 // no tag or comment opener of a spreadsheet is longer
	maxDepth   = 128
	maxAttrs   = 256
	maxName    = 1 << 10
)

// Attr is an attribute of the current element. Its bytes point into the scanner's window and are
// valid until the next call of the scanner.
type Attr struct {
	Prefix []byte
	Local  []byte
	Value  []byte // raw: see Unescape
}

// Scanner reads one document.
type Scanner struct {
	name    string // name of the document, for messages
	r       io.Reader
	readErr error // error of r: io.EOF at its end

	buf      []byte
	pos, end int

	attrs  []Attr
	prefix []byte // prefix of the current element
	local  []byte // its name without the prefix
	bound  bool   // its tag may bind a prefix
	empty  bool   // it is an empty-element tag: its End is pending
	opened bool   // the root was started

	names []byte // concatenated qualified names of the open elements
	marks []int  // start of each in names

	root  []byte   // prefix of the root
	uri   []byte   // its namespace
	alias [][]byte // other prefixes of the same namespace

	scratch []byte // decoded text that cannot be read directly from the window
}

// New returns a scanner of the document in r. The name is used in messages.
func New(name string, r io.Reader) (*Scanner, error) {
	s := &Scanner{name: name, r: r, buf: make([]byte, windowSize)}
	if err := s.prolog(); err != nil {
		return nil, err
	}
	return s, nil
}

// Next advances to the next start or end of an element, past the character data before it. EOF is
// the regular end of the document.
func (s *Scanner) Next() (Token, error) {
	for {
		tok, err := s.next()
		if err != nil || tok != Start || !s.isForeign() {
			return tok, err
		}
		if err := s.skip(); err != nil {
			return 0, err
		}
	}
}

// Local returns the name of the current element without its prefix.
func (s *Scanner) Local() []byte { return s.local }

// Attrs returns the attributes of the current element.
func (s *Scanner) Attrs() []Attr { return s.attrs }

// Attr returns the raw value of an attribute without prefix.
func (s *Scanner) Attr(local string) ([]byte, bool) {
	for i := range s.attrs {
		if a := &s.attrs[i]; len(a.Prefix) == 0 && string(a.Local) == local {
			return a.Value, true
		}
	}
	return nil, false
}

// Depth returns the number of open elements, including the current one.
func (s *Scanner) Depth() int { return len(s.marks) }

// Skip skips the rest of the current element, including its End.
func (s *Scanner) Skip() error { return s.skip() }

func (s *Scanner) skip() error {
	for depth := len(s.marks); len(s.marks) >= depth; {
		if _, err := s.next(); err != nil {
			return err
		}
	}
	return nil
}

// Drain reads to the end of the document, to detect damage in the unused rest.
func (s *Scanner) Drain() error {
	for {
		tok, err := s.next()
		if err != nil || tok == EOF {
			return err
		}
	}
}

func (s *Scanner) next() (Token, error) {
	if s.empty {
		s.empty = false
		s.pop()
		return End, nil
	}
	for {
		if err := s.toMarkup(); err != nil {
			if err == io.EOF {
				return EOF, nil
			}
			return 0, err
		}
		if s.end-s.pos < 2 {
			if err := s.need(2); err != nil {
				return 0, err
			}
		}
		switch s.buf[s.pos+1] {
		case '/':
			return End, s.endTag()
		case '!', '?':
			if err := s.skipMarkup(); err != nil {
				return 0, err
			}
		default:
			return Start, s.startTag()
		}
	}
}

// toMarkup moves to the next '<'. io.EOF means the end of the document.
func (s *Scanner) toMarkup() error {
	if s.pos < s.end && s.buf[s.pos] == '<' {
		return nil
	}
	for {
		skipped := s.buf[s.pos:s.end]
		i := bytes.IndexByte(skipped, '<')
		if i >= 0 {
			skipped = skipped[:i]
		}
		if len(s.marks) == 0 && !isBlank(skipped) {
			return s.corruptError("has text outside of its root element")
		}
		s.pos += len(skipped)
		if i >= 0 {
			return nil
		}
		if err := s.fill(); err != nil {
			return s.checkEnd(err)
		}
	}
}

// checkEnd returns the error for the end of the input between two tokens.
func (s *Scanner) checkEnd(err error) error {
	if err != io.EOF {
		return err
	}
	if len(s.marks) > 0 || !s.opened {
		return s.corruptError("is incomplete")
	}
	return io.EOF
}

// need reads until n bytes from pos on are available.
func (s *Scanner) need(n int) error {
	for s.end-s.pos < n {
		if err := s.fill(); err != nil {
			return s.unexpectedEOF(err)
		}
	}
	return nil
}

// fill reads more after the rest of the window, which moves to its front and grows if a tag does
// not fit. It returns io.EOF at the end.
func (s *Scanner) fill() error {
	if s.readErr != nil {
		return s.readErr
	}
	if s.pos > 0 {
		s.end = copy(s.buf, s.buf[s.pos:s.end])
		s.pos = 0
	}
	if s.end == len(s.buf) {
		if s.end >= maxTag {
			return s.corruptError("has a tag of more than 1 MiB")
		}
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	for had := s.end; s.end == had; {
		n, err := s.r.Read(s.buf[s.end:])
		s.end += n
		if err != nil {
			s.readErr = err
			if n == 0 {
				return err
			}
		}
	}
	return nil
}

// isForeign reports whether the current element belongs to another vocabulary.
func (s *Scanner) isForeign() bool {
	if string(s.prefix) == string(s.root) {
		return false
	}
	for _, a := range s.alias {
		if bytes.Equal(s.prefix, a) {
			return false
		}
	}
	return true
}

func isBlank(b []byte) bool {
	for _, c := range b {
		if !isSpace(c) {
			return false
		}
	}
	return true
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// unexpectedEOF returns the error for the end of the input within a token.
func (s *Scanner) unexpectedEOF(err error) error {
	if err == io.EOF {
		return s.corruptError("is incomplete")
	}
	return err
}

func (s *Scanner) corruptError(what string) error {
	return sheet.DamagedError(nil, "%s %s", s.name, what)
}

func (s *Scanner) unsafeError(what string) error {
	return problem.New(problem.FileUnsafeXML, "The workbook was rejected: %s contains %s.", s.name, what)
}

func (s *Scanner) encodingError() error {
	return problem.New(problem.EncodingInvalid, "The workbook contains text that is not UTF-8, in %s. Open it in a spreadsheet program and save it again.", s.name)
}
