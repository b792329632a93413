package xmlpull_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/xmlpull"
)

const textLimit = 1 << 20

// events renders the whole document as text: "<a x=1" starts, "'t" has text, "/" ends.
func events(r io.Reader) ([]string, error) {
	s, err := xmlpull.New("test.xml", r)
	if err != nil {
		return nil, err
	}
	var out []string
	for {
		tok, err := s.Next()
		switch {
		case err != nil:
			return out, err
		case tok == xmlpull.EOF:
			return out, nil
		case tok == xmlpull.End:
			out = append(out, "/")
			continue
		}
		start := "<" + string(s.Local())
		for _, a := range s.Attrs() {
			value, err := s.Unescape(a.Value)
			if err != nil {
				return out, err
			}
			start += fmt.Sprintf(" %s:%s=%s", a.Prefix, a.Local, value)
		}
		out = append(out, start)
		text, err := s.Text(textLimit)
		if err != nil {
			return out, err
		}
		if len(text) > 0 {
			out = append(out, "'"+string(text))
		}
	}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		doc  string
		want []string
	}{
		"empty root":       {`<abc/>`, []string{"<abc", "/"}},
		"declaration":      {`<?xml version='1.0' encoding='utf-8'?> <a></a >` + "\n", []string{"<a", "/"}},
		"byte order mark":  {"\xef\xbb\xbf<a/>", []string{"<a", "/"}},
		"attributes":       {`<a b="1" c = 'x"y'` + "\n" + `d='&lt;&#10;'/>`, []string{`<a :b=1 :c=x"y :d=<` + "\n", "/"}},
		"> in attributes":  {`<a b="x>y"/>`, []string{"<a :b=x>y", "/"}},
		"text":             {`<a>x &amp; &quot;&apos;&gt; y</a>`, []string{"<a", `'x & "'> y`, "/"}},
		"nested":           {`<a><b>1</b><c/></a>`, []string{"<a", "<b", "'1", "/", "<c", "/", "/"}},
		"comments":         {`<!-- <x> --><a>1<!-- - -> -->2</a><!-- -->`, []string{"<a", "'12", "/"}},
		"instructions":     {`<?p ?><a><?p > ?>2</a><?p?>`, []string{"<a", "'2", "/"}},
		"CDATA":            {`<a><![CDATA[<&]]]]><![CDATA[>]]>.</a>`, []string{"<a", "'<&]]>.", "/"}},
		"line ends, CDATA": {"<a><![CDATA[1\r\n2\r]]>\n3\r<![CDATA[\n]]></a>", []string{"<a", "'1\n2\n\n3\n\n", "/"}},
		"characters":       {`<a>&#65;&#x42;&#X43;&#x1F600;</a>`, []string{"<a", "'ABC😀", "/"}},
		"line ends":        {"<a>1\r\n2\r3\n\r</a>", []string{"<a", "'1\n2\n3\n\n", "/"}},
		"prefixes":         {`<p:a xmlns:p="u"><p:b r:c="1"/></p:a>`, []string{"<a xmlns:p=u", "<b r:c=1", "/", "/"}},
		"two prefixes":     {`<a xmlns="u" xmlns:p="u"><p:b/><b/></a>`, []string{"<a :xmlns=u xmlns:p=u", "<b", "/", "<b", "/", "/"}},
		"prefix bound low": {`<a xmlns="u"><p:b xmlns:p="u"/></a>`, []string{"<a :xmlns=u", "<b xmlns:p=u", "/", "/"}},
		"others skipped":   {`<a xmlns="u"><q:b xmlns:q="v">x<c><q:d/></c></q:b><e/></a>`, []string{"<a :xmlns=u", "<e", "/", "/"}},
		"default skipped":  {`<p:a xmlns:p="u"><b>x</b><p:c/></p:a>`, []string{"<a xmlns:p=u", "<c", "/", "/"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := events(strings.NewReader(tt.doc))
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
			got, err = events(iotest.OneByteReader(strings.NewReader(tt.doc)))
			require.NoError(t, err, "read one byte at a time")
			require.Equal(t, tt.want, got, "read one byte at a time")
		})
	}
}

func TestInvalidDocuments(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		doc  string
		code problem.Code
	}{
		"nothing":                 {"", problem.FileCorrupt},
		"no root":                 {"    <!-- -->", problem.FileCorrupt},
		"text only":               {"text and more", problem.FileCorrupt},
		"text behind the root":    {"<abc/>x", problem.FileCorrupt},
		"CDATA behind the root":   {"<abc/><![CDATA[x]]>", problem.FileCorrupt},
		"two roots":               {"<abc/><b/>", problem.FileCorrupt},
		"unclosed":                {"<abc><b></b>", problem.FileCorrupt},
		"unclosed tag":            {`<abc b="1"`, problem.FileCorrupt},
		"unclosed attribute":      {`<abc b="1></abc>`, problem.FileCorrupt},
		"unclosed comment":        {"<abc><!-- </abc>", problem.FileCorrupt},
		"unclosed CDATA":          {"<abc><![CDATA[ </abc>", problem.FileCorrupt},
		"crossed":                 {"<a><b></a></b>", problem.FileCorrupt},
		"longer end":              {"<ab></abc>", problem.FileCorrupt},
		"shorter end":             {"<abc></ab>", problem.FileCorrupt},
		"end without start":       {"</abc>", problem.FileCorrupt},
		"no name":                 {"<abc>< b/></abc>", problem.FileCorrupt},
		"slash in a tag":          {"<abc / >", problem.FileCorrupt},
		"attribute, no value":     {"<abc b/>", problem.FileCorrupt},
		"attribute, no quotes":    {"<abc b=1/>", problem.FileCorrupt},
		"attributes touch":        {`<abc b="1"c="2"/>`, problem.FileCorrupt},
		"< in an attribute":       {`<abc b="<"/>`, problem.FileCorrupt},
		"lone &":                  {"<abc>a & b</abc>", problem.FileCorrupt},
		"& at the end":            {"<abc>&</abc>", problem.FileCorrupt},
		"empty reference":         {"<abc>&;</abc>", problem.FileUnsafeXML},
		"empty number":            {"<abc>&#x;</abc>", problem.FileCorrupt},
		"no such character":       {"<abc>&#x110000;</abc>", problem.FileCorrupt},
		"surrogate":               {"<abc>&#xD800;</abc>", problem.FileCorrupt},
		"number too long":         {"<abc>&#000000000000000000065;</abc>", problem.FileCorrupt},
		"unknown entity":          {"<abc>&x;</abc>", problem.FileUnsafeXML},
		"entity in an attribute":  {`<abc b="&x;"/>`, problem.FileUnsafeXML},
		"document type":           {"<!DOCTYPE a><abc/>", problem.FileUnsafeXML},
		"document type, later":    {"<abc/><!DOCTYPE a>", problem.FileUnsafeXML},
		"declaration inside":      {"<abc>text<!ENTITY x 'y'></abc>", problem.FileUnsafeXML},
		"section of another kind": {"<abc><![INCLUDE[x]]></abc>", problem.FileUnsafeXML},
		"encoding":                {`<?xml version="1.0" encoding="latin1"?><a/>`, problem.EncodingInvalid},
		"not UTF-8":               {"<abc>\xc3\x28</abc>", problem.EncodingInvalid},
		"not UTF-8, attribute":    {"<abc b=\"\xc3\x28\"/>", problem.EncodingInvalid},
		"too deep":                {strings.Repeat("<abc>", 200), problem.FileCorrupt},
		"too many attributes":     {"<abc " + strings.Repeat(`a="" `, 300) + "/>", problem.FileCorrupt},
		"too long a tag":          {`<abc b="` + strings.Repeat("x", 3<<20) + `"/>`, problem.FileCorrupt},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := events(strings.NewReader(tt.doc))
			require.Equal(t, tt.code, problem.CodeOf(err), "%v", err)
		})
	}
}

// TestLongTextIsTruncated: the caller recognises the text as too long.
func TestLongTextIsTruncated(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", textLimit)
	for _, text := range []string{long, "&lt;" + long, "<![CDATA[" + long + "]]>", "a<!-- -->" + long} {
		s, err := xmlpull.New("test.xml", strings.NewReader("<a><b>"+text+"</b><c/></a>"))
		require.NoError(t, err)
		_, err = s.Next()
		require.NoError(t, err)
		_, err = s.Next()
		require.NoError(t, err)
		got, err := s.Text(7)
		require.NoError(t, err)
		require.Len(t, got, 8)
		require.NoError(t, s.Skip())
		_, err = s.Next()
		require.NoError(t, err)
		require.Equal(t, "c", string(s.Local()))
		require.NoError(t, s.Drain())
	}
}

// Skipped text of any length uses no memory beyond the window.
func TestSkippedTextIsUnlimited(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("<!-- "+strings.Repeat("x", 1<<10)+" -->"+strings.Repeat(" y", 1<<10), 1<<11)
	s, err := xmlpull.New("test.xml", strings.NewReader("<a><b>"+filler+"</b><c/></a>"))
	require.NoError(t, err)
	_, err = s.Next()
	require.NoError(t, err)
	_, err = s.Next()
	require.NoError(t, err)
	require.NoError(t, s.Skip())
	_, err = s.Next()
	require.NoError(t, err)
	require.Equal(t, "c", string(s.Local()))
	require.NoError(t, s.Drain())
}

// Tags and texts are complete wherever the window ends.
func TestTokensAcrossWindows(t *testing.T) {
	t.Parallel()
	const item = `<c r="AB123" t="inlineStr"><t>a&amp;b` + "\r\n" + `<!--x--><![CDATA[c]]>é</t></c>`
	want := []string{"<c :r=AB123 :t=inlineStr", "<t", "'a&b\ncé", "/", "/"}
	for pad := range len(item) {
		doc := "<a>" + strings.Repeat(" ", 64<<10-len(item)/2-pad) + item + item + "</a>"
		for _, r := range []io.Reader{strings.NewReader(doc), iotest.HalfReader(strings.NewReader(doc)), iotest.DataErrReader(strings.NewReader(doc))} {
			got, err := events(r)
			require.NoError(t, err)
			require.Equal(t, append(append([]string(nil), want...), want...), got[2:len(got)-1], "pad %d", pad)
		}
	}
}

func TestReaderErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	doc := []byte(`<?xml version="1.0"?><a b="1"><!-- x -->text<![CDATA[x]]><c/></a>`)
	for n := range doc {
		_, err := events(io.MultiReader(bytes.NewReader(doc[:n]), iotest.ErrReader(broken)))
		require.ErrorIs(t, err, broken, "%d bytes", n)
	}
}
