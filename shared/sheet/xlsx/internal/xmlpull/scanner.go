// Package xmlpull reads the XML of spreadsheet parts at the speed of memory:
// a pull scanner over a window of bytes, which allocates nothing per element.
//
// It knows what such parts need and refuses the rest. Document type
// declarations and entities that only those could declare are FILE_UNSAFE_XML;
// what is not well-formed (end tags that match nothing, a document that ends
// early, attributes without quotes) is FILE_CORRUPT; text that is not UTF-8 is
// ENCODING_INVALID. UTF-16 documents are read as well.
//
// Elements of other vocabularies than the root's, as in mc:AlternateContent or
// the extensions of newer programs, are passed over with all they hold.
// Prefixes are compared, not scoped: a prefix that is bound to the root's
// namespace anywhere stands for it in the whole document.
package xmlpull

import (
	"bytes"
	"io"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Token is what Next has found.
type Token uint8

// The tokens. Character data is no token: Text reads it where it is wanted.
const (
	Start Token = iota + 1
	End
	EOF
)

const (
	windowSize = 64 << 10
	maxTag     = 1 << 20 // a tag or comment opener longer than this is no spreadsheet's
	maxDepth   = 128
	maxAttrs   = 256
	maxName    = 1 << 10
)

// Attr is an attribute of the element just started. Its bytes point into the
// scanner's window and are valid until the next call of the scanner.
type Attr struct {
	Prefix []byte
	Local  []byte
	Value  []byte // as written: see Unescape
}

// Scanner reads one document.
type Scanner struct {
	name    string // of the document, for messages
	r       io.Reader
	readErr error // why r gave no more: io.EOF at its end

	buf      []byte
	pos, end int

	attrs  []Attr
	prefix []byte // of the element just started
	local  []byte // its name without the prefix
	bound  bool   // its tag may bind a prefix
	empty  bool   // it is <so/>: its End is still due
	opened bool   // the root has been started

	names []byte // qualified names of the open elements, one after the other
	marks []int  // where in names each of them begins

	root  []byte   // prefix of the root
	uri   []byte   // its namespace
	alias [][]byte // other prefixes of the same namespace

	scratch []byte // text that is not plain in the window
}

// New returns a scanner of the document in r, which messages call
// by that name.
func New(name string, r io.Reader) (*Scanner, error) {
	s := &Scanner{name: name, r: r, buf: make([]byte, windowSize)}
	if err := s.prolog(); err != nil {
		return nil, err
	}
	return s, nil
}

// Next goes to the next start or end of an element, past the character data
// before it. EOF is the proper end of the document.
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

// Local is the name of the element just started, without its prefix.
func (s *Scanner) Local() []byte { return s.local }

// Attrs are the attributes of the element just started.
func (s *Scanner) Attrs() []Attr { return s.attrs }

// Attr is the raw value of an attribute without prefix.
func (s *Scanner) Attr(local string) ([]byte, bool) {
	for i := range s.attrs {
		if a := &s.attrs[i]; len(a.Prefix) == 0 && string(a.Local) == local {
			return a.Value, true
		}
	}
	return nil, false
}

// Depth is the number of open elements; an element just started counts.
func (s *Scanner) Depth() int { return len(s.marks) }

// Skip passes over the rest of the element just started, its End included.
func (s *Scanner) Skip() error { return s.skip() }

func (s *Scanner) skip() error {
	for depth := len(s.marks); len(s.marks) >= depth; {
		if _, err := s.next(); err != nil {
			return err
		}
	}
	return nil
}

// Drain reads on to the end of the document, so that damage in what nobody
// asked for is found as well.
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

// toMarkup moves to the next '<'. io.EOF says that the document is over.
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

// checkEnd judges the end of the input between two tokens.
func (s *Scanner) checkEnd(err error) error {
	if err != io.EOF {
		return err
	}
	if len(s.marks) > 0 || !s.opened {
		return s.corruptError("ends too early")
	}
	return io.EOF
}

// need makes n bytes from pos on available.
func (s *Scanner) need(n int) error {
	for s.end-s.pos < n {
		if err := s.fill(); err != nil {
			return s.unexpectedEOF(err)
		}
	}
	return nil
}

// fill reads more behind what is left of the window, which moves to its front
// and grows where a tag does not fit. io.EOF: there is no more.
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

// isForeign reports whether the element just started is of another vocabulary.
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

// unexpectedEOF judges the end of the input within a token.
func (s *Scanner) unexpectedEOF(err error) error {
	if err == io.EOF {
		return s.corruptError("ends too early")
	}
	return err
}

func (s *Scanner) corruptError(what string) error {
	return sheet.DamagedError(nil, "%s %s", s.name, what)
}

func (s *Scanner) unsafeError(what string) error {
	return problem.New(problem.FileUnsafeXML, "The workbook is refused: %s contains %s.", s.name, what)
}

func (s *Scanner) encodingError() error {
	return problem.New(problem.EncodingInvalid, "The workbook holds text that is not UTF-8, in %s. Open it in a spreadsheet program and save it again.", s.name)
}

func (s *Scanner) tooLargeError(limit int) error {
	return problem.New(problem.FieldTooLarge, "A cell in %s holds more than %d bytes.", s.name, limit)
}
