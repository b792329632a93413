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

// maxToken is the maximum number of bytes between two tags of a part.
const maxToken = 8 << 20

// scanner reads a part tag by tag, and retains the raw form of each.
type scanner struct {
	decoder *xml.Decoder
	read    bytes.Buffer // bytes read from the part but not returned yet
	at      int64
	depth   int // depth of the last token, from 1
	token   xml.Token
	raw     []byte // raw form of the token, valid until the next one
}

func newScanner(in io.Reader) *scanner {
	s := &scanner{}
	s.decoder = xml.NewDecoder(io.TeeReader(in, &limitedWriter{&s.read}))
	return s
}

// limitedWriter fails if more is written to the buffer than the maximum size of a token.
type limitedWriter struct{ *bytes.Buffer }

func (l *limitedWriter) Write(p []byte) (int, error) {
	if l.Len() > maxToken {
		return 0, errors.New("a token is too large")
	}
	return l.Buffer.Write(p)
}

// next reads a token; false at the end.
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

// startElement returns the element that starts here, or nil.
func (s *scanner) startElement() *xml.StartElement {
	if e, ok := s.token.(xml.StartElement); ok {
		return &e
	}
	return nil
}

// isEnd reports whether an element with that name ends here.
func (s *scanner) isEnd(local string) bool {
	e, ok := s.token.(xml.EndElement)
	return ok && e.Name.Local == local
}

// attributeOf returns an attribute of an element, regardless of its prefix.
func attributeOf(e *xml.StartElement, local string) string {
	for _, a := range e.Attr {
		if a.Name.Local == local && a.Name.Space != "xmlns" {
			return a.Value
		}
	}
	return ""
}

// prefixedName returns the name of an element with the prefix of another one.
func prefixedName(like xml.Name, local string) string {
	if like.Space == "" {
		return local
	}
	return like.Space + ":" + local
}

// withAttribute returns a raw tag with an attribute set.
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

// withoutAttribute returns a raw tag without an attribute.
func withoutAttribute(raw []byte, name string) []byte {
	return regexp.MustCompile(`\s`+name+`\s*=\s*("[^"]*"|'[^']*')`).ReplaceAll(raw, nil)
}

func concat(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// escapeText escapes a text for XML, without characters that XML does not allow.
func escapeText(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text)) // a Builder never fails
	return out.String()
}

// eachElement calls do for each element of a small part.
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

// sheetID returns the relation of the sheet with that name, or of the first one.
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
		err = unsupportedError(fmt.Errorf("sheet not found"))
	}
	return id, err
}

// hexEscape matches the escapes of workbooks for characters that XML does not allow.
var hexEscape = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

// decodeName returns a name as displayed.
func decodeName(name string) string {
	return hexEscape.ReplaceAllStringFunc(name, func(e string) string {
		var r rune
		if _, err := fmt.Sscanf(e, "_x%04x_", &r); err != nil {
			return e
		}
		return string(r)
	})
}
