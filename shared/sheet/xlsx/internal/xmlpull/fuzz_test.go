package xmlpull_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzScanner compares the scanner with encoding/xml: documents that both accept have the same
// events.
func FuzzScanner(f *testing.F) {
	for _, seed := range []string{
		`<a/>`,
		`<?xml version="1.0"?><a b="1">x<b/>y</a>`,
		`<a>&amp;&#65;&#x41;<![CDATA[<&]]>]]<!-- c --></a>`,
		"<a b='\r\n\"'>\r\n\r</a>",
		`<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row></sheetData></worksheet>`,
		`<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`,
		"\xef\xbb\xbf<a>\u00e9</a>",
		"\xff\xfe<\x00a\x00/\x00>\x00",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		got, err := events(bytes.NewReader(doc))
		if err != nil {
			return
		}
		want, err := standardEvents(doc)
		if err != nil {
			return
		}
		require.Equal(t, want, got)
	})
}

// standardEvents returns the events of encoding/xml, and an error for the known difference:
// prefixes, by which the scanner skips elements.
func standardEvents(doc []byte) ([]string, error) {
	if bytes.IndexByte(doc, ':') >= 0 || !bytes.HasPrefix(doc, []byte("<")) {
		return nil, io.ErrUnexpectedEOF
	}
	d := xml.NewDecoder(bytes.NewReader(doc))
	var out []string
	wanted := false // the text before the first tag in an element
	var text strings.Builder
	flush := func() {
		if wanted && text.Len() > 0 {
			out = append(out, "'"+text.String())
		}
		text.Reset()
		wanted = false
	}
	for {
		tok, err := d.RawToken()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			flush()
			start := "<" + tok.Name.Local
			for _, a := range tok.Attr {
				start += " :" + a.Name.Local + "=" + a.Value
			}
			out, wanted = append(out, start), true
		case xml.EndElement:
			flush()
			out = append(out, "/")
		case xml.CharData:
			text.Write(tok)
		}
	}
}
