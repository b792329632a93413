package xmlpull

import (
	"bytes"
	"io"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/loadbay/loadbay/shared/problem"
)

// skipMarkup skips the comment, processing instruction or CDATA section at pos; it rejects
// declarations.
func (s *Scanner) skipMarkup() error {
	if s.buf[s.pos+1] == '?' {
		s.pos += 2
		return s.skipPast("?>")
	}
	cdata, err := s.enterBang()
	if err != nil {
		return err
	}
	if !cdata {
		return s.skipPast("-->")
	}
	if len(s.marks) == 0 {
		return s.corruptError("has text outside of its root element")
	}
	return s.skipPast("]]>")
}

// enterBang moves into the comment or CDATA section at pos and returns its kind.
func (s *Scanner) enterBang() (cdata bool, err error) {
	if err := s.need(4); err != nil {
		return false, err
	}
	if string(s.buf[s.pos:s.pos+4]) == "<!--" {
		s.pos += 4
		return false, nil
	}
	const open = "<![CDATA["
	if s.buf[s.pos+2] != '[' {
		return false, s.unsafeError("a document type declaration")
	}
	if err := s.need(len(open)); err != nil {
		return false, err
	}
	if string(s.buf[s.pos:s.pos+len(open)]) != open {
		return false, s.unsafeError("a declaration")
	}
	s.pos += len(open)
	return true, nil
}

// skipPast moves past the next occurrence of mark, at any distance.
func (s *Scanner) skipPast(mark string) error {
	for {
		if i := bytes.Index(s.buf[s.pos:s.end], []byte(mark)); i >= 0 {
			s.pos += i + len(mark)
			return nil
		}
		s.pos = max(s.pos, s.end-len(mark)+1)
		if err := s.fill(); err != nil {
			return s.unexpectedEOF(err)
		}
	}
}

// prolog detects the document's encoding and converts UTF-16 into UTF-8.
func (s *Scanner) prolog() error {
	if err := s.need(4); err != nil {
		return err
	}
	switch head := s.buf[:4]; {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		s.pos = 3
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("<\x00")):
		return s.transcode(unicode.LittleEndian)
	case bytes.HasPrefix(head, []byte("\xfe\xff")), bytes.HasPrefix(head, []byte("\x00<")):
		return s.transcode(unicode.BigEndian)
	}
	return s.declaration(false)
}

func (s *Scanner) transcode(order unicode.Endianness) error {
	head := bytes.Clone(s.buf[:s.end])
	rest := s.r
	if s.readErr != nil {
		rest = bytes.NewReader(nil)
	}
	decoder := unicode.UTF16(order, unicode.UseBOM).NewDecoder()
	if head[0] == '<' || head[0] == 0 {
		decoder = unicode.UTF16(order, unicode.IgnoreBOM).NewDecoder()
	}
	s.r = transform.NewReader(io.MultiReader(bytes.NewReader(head), rest), decoder)
	s.pos, s.end, s.readErr = 0, 0, nil
	if err := s.need(4); err != nil {
		return err
	}
	return s.declaration(true)
}

// declaration checks the encoding that the document declares, if any.
func (s *Scanner) declaration(utf16 bool) error {
	const open = "<?xml"
	for s.end-s.pos <= len(open) {
		if err := s.fill(); err == io.EOF {
			return nil // too short for a declaration
		} else if err != nil {
			return err
		}
	}
	if string(s.buf[s.pos:s.pos+len(open)]) != open || !isSpace(s.buf[s.pos+len(open)]) {
		return nil
	}
	for bytes.IndexByte(s.buf[s.pos:s.end], '>') < 0 {
		if err := s.fill(); err != nil {
			return s.unexpectedEOF(err)
		}
	}
	decl := s.buf[s.pos : s.pos+bytes.IndexByte(s.buf[s.pos:s.end], '>')]
	switch name := declaredEncoding(decl); {
	case name == "", name == "utf-8", name == "us-ascii", name == "ascii":
		return nil
	case utf16 && (name == "utf-16" || name == "utf-16le" || name == "utf-16be"):
		return nil
	default:
		return problem.New(problem.EncodingInvalid,
			"The workbook does not use UTF-8 or UTF-16, in %s. Open it in a spreadsheet program and save it again.", s.name)
	}
}

// declaredEncoding returns the value of encoding="…" in lower case, or "".
func declaredEncoding(decl []byte) string {
	_, rest, found := bytes.Cut(decl, []byte("encoding"))
	if !found {
		return ""
	}
	rest = bytes.TrimLeft(rest, " \t\r\n=")
	if len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' {
		return ""
	}
	name, _, _ := bytes.Cut(rest[1:], rest[:1])
	return string(bytes.ToLower(name))
}
