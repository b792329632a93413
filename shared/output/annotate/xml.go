package annotate

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// maxToken is the most bytes between two tags of a part.
const maxToken = 8 << 20

// scanner reads a part tag by tag, and keeps each as it is written.
type scanner struct {
	decoder *xml.Decoder
	read    bytes.Buffer // what has been read of the part and not been returned
	at      int64
	depth   int // of the token that was read last, from 1
	token   xml.Token
	raw     []byte // the token as it is written, valid until the next one
}

func newScanner(in io.Reader) *scanner {
	s := &scanner{}
	s.decoder = xml.NewDecoder(io.TeeReader(in, &limitedWriter{&s.read}))
	return s
}

// limitedWriter fails once more is written to a buffer than a token may have.
type limitedWriter struct{ *bytes.Buffer }

func (l *limitedWriter) Write(p []byte) (int, error) {
	if l.Len() > maxToken {
		return 0, errors.New("a token is too large")
	}
	return l.Buffer.Write(p)
}

// next reads a token: false at the end.
func (s *scanner) next() (bool, error) {
	if _, ended := s.token.(xml.EndElement); ended {
		s.depth--
	}
	token, err := s.decoder.RawToken()
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	if err != nil {
		return false, unsupportedError(err)
	}
	if _, begins := token.(xml.StartElement); begins {
		s.depth++
	}
	end := s.decoder.InputOffset()
	s.token, s.raw, s.at = token, s.read.Next(int(end-s.at)), end
	return true, nil
}

// startElement returns the element that begins here, or nil.
func (s *scanner) startElement() *xml.StartElement {
	if e, ok := s.token.(xml.StartElement); ok {
		return &e
	}
	return nil
}

// isEnd reports whether an element of that name ends here.
func (s *scanner) isEnd(local string) bool {
	e, ok := s.token.(xml.EndElement)
	return ok && e.Name.Local == local
}

// attributeOf is that of an element, whatever its prefix.
func attributeOf(e *xml.StartElement, local string) string {
	for _, a := range e.Attr {
		if a.Name.Local == local && a.Name.Space != "xmlns" {
			return a.Value
		}
	}
	return ""
}

// prefixedName is the name of an element with the prefix of another one.
func prefixedName(like xml.Name, local string) string {
	if like.Space == "" {
		return local
	}
	return like.Space + ":" + local
}

// withAttribute is a tag as it is written with an attribute set.
func withAttribute(raw []byte, name, value string) []byte {
	given := regexp.MustCompile(`(\s)` + name + `\s*=\s*("[^"]*"|'[^']*')`)
	set := name + `="` + value + `"`
	if at := given.FindSubmatchIndex(raw); at != nil {
		return concat(raw[:at[3]], []byte(set), raw[at[1]:])
	}
	end := len(raw) - 1
	if bytes.HasSuffix(raw, []byte("/>")) {
		end--
	}
	return concat(bytes.TrimRight(raw[:end], " \t\r\n"), []byte(" "+set), raw[end:])
}

// withoutAttribute is a tag as it is written without an attribute.
func withoutAttribute(raw []byte, name string) []byte {
	return regexp.MustCompile(`\s`+name+`\s*=\s*("[^"]*"|'[^']*')`).ReplaceAll(raw, nil)
}

func concat(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// escapeText is a text as XML has it, without what XML cannot have.
func escapeText(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text)) // a Builder takes everything
	return out.String()
}

// eachElement calls do for each element of a part that is small.
func (b *workbookPatch) eachElement(name string, do func(e *xml.StartElement, depth int) error) error {
	text, err := b.readPart(name)
	if err != nil {
		return err
	}
	s := newScanner(bytes.NewReader(text))
	for {
		more, err := s.next()
		if err != nil || !more {
			return err
		}
		if e := s.startElement(); e != nil {
			if err := do(e, s.depth); err != nil {
				return err
			}
		}
	}
}

// sheetID is the relation of the sheet of that name, or of the first one.
func (b *workbookPatch) sheetID(name string) (id string, err error) {
	err = b.eachElement(b.main, func(e *xml.StartElement, depth int) error {
		if depth == 1 {
			for _, a := range e.Attr {
				b.strict = b.strict || strings.HasPrefix(a.Value, "http://purl.oclc.org/ooxml/")
			}
		}
		if depth != 3 || e.Name.Local != "sheet" || id != "" || name != "" && decodeName(attributeOf(e, "name")) != name {
			return nil
		}
		for _, a := range e.Attr {
			if a.Name.Local == "id" && a.Name.Space != "" {
				id = a.Value
			}
		}
		return nil
	})
	if err == nil && id == "" {
		err = unsupportedError(fmt.Errorf("there is no sheet of that name"))
	}
	return id, err
}

// hexEscape is how texts of workbooks write characters that XML cannot have.
var hexEscape = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

// decodeName is a name as people see it.
func decodeName(name string) string {
	return hexEscape.ReplaceAllStringFunc(name, func(e string) string {
		var r rune
		if _, err := fmt.Sscanf(e, "_x%04x_", &r); err != nil {
			return e
		}
		return string(r)
	})
}
