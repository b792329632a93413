package annotate

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
)

// maxStyles is the maximum number of cell formats that programs support.
const maxStyles = 64_000

const noStyles = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" +
	`<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><fonts count="1"><font/></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
	`<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="1"><xf/></cellXfs></styleSheet>`

// planStyles adds to each cell format a second one with the error fill.
func (b *workbookPatch) planStyles(types map[string]string) error {
	text := []byte(noStyles)
	if b.styles == "" {
		if b.styles = b.siblingPart("styles.xml"); b.parts[canonicalName(b.styles)] != nil {
			b.styles = b.unusedPartName(b.siblingPart("styles%d.xml"))
		}
		rels, err := b.relations(b.main)
		if err != nil {
			return err
		}
		rels.add(b, "styles", b.styles)
		types[b.styles] = typesBase + "styles+xml"
	} else {
		var err error
		if text, err = b.readPart(b.styles); err != nil {
			return err
		}
	}
	text, n, err := addErrorFill(text)
	if err != nil {
		return err
	}
	b.errorStyles = func(s int) int {
		if 2*n > maxStyles || s < 0 || s >= n {
			s = 0
		}
		return n + s
	}
	b.replacePart(b.styles, text)
	return nil
}

// collection is an element of the style sheet with its children, in raw form.
type collection struct {
	name       xml.Name
	tag        []byte // start tag
	begin, end int    // content between the tags
	children   [][]byte
}

// addErrorFill returns the style sheet with the error fill added, and with a copy of each of
// its n cell formats that uses the fill appended.
func addErrorFill(text []byte) (_ []byte, n int, err error) {
	fills, err := findCollection(text, "fills")
	if err != nil {
		return nil, 0, err
	}
	formats, err := findCollection(text, "cellXfs")
	if err != nil {
		return nil, 0, err
	}
	if formats == nil || len(formats.children) == 0 { // no cell can have a format
		return addErrorFill([]byte(noStyles))
	}
	if fills == nil || fills.begin > formats.begin {
		return nil, 0, unsupportedError(fmt.Errorf("the styles are incomplete"))
	}
	n = len(formats.children)
	again := formats.children
	if 2*n > maxStyles {
		again = again[:1]
	}
	var added bytes.Buffer
	for _, f := range again {
		end := bytes.IndexByte(f, '>') + 1
		first := withAttribute(withAttribute(f[:end], "fillId", strconv.Itoa(len(fills.children))), "applyFill", "1")
		added.Write(first)
		added.Write(f[end:])
	}
	fill := fmt.Sprintf(`<%[1]s><%[2]s patternType="solid"><%[3]s rgb="FFFFC7CE"/><%[4]s indexed="64"/></%[2]s></%[1]s>`,
		prefixedName(fills.name, "fill"), prefixedName(fills.name, "patternFill"), prefixedName(fills.name, "fgColor"), prefixedName(fills.name, "bgColor"))
	text = formats.withChildren(text, added.Bytes(), n+len(again))
	return fills.withChildren(text, []byte(fill), len(fills.children)+1), n, nil
}

// withChildren returns the text with children appended to the collection, which then has n.
func (c *collection) withChildren(text, children []byte, n int) []byte {
	counted := withAttribute(c.tag, "count", strconv.Itoa(n))
	start := c.begin - len(c.tag)
	return concat(text[:start], counted, text[c.begin:c.end], children, text[c.end:])
}

// findCollection finds a collection of a style sheet; nil if it is missing or empty.
func findCollection(text []byte, local string) (*collection, error) {
	s := newScanner(bytes.NewReader(text))
	var c *collection
	child := 0
	for {
		more, err := s.next()
		if err != nil || !more {
			return nil, err
		}
		before := int(s.at) - len(s.raw)
		e := s.startElement()
		switch {
		case e != nil && s.depth == 2 && e.Name.Local == local:
			c = &collection{name: e.Name, tag: bytes.Clone(s.raw), begin: int(s.at)}
		case c == nil:
		case e != nil && s.depth == 3:
			child = before
		case s.depth == 2 && s.isEnd(local):
			c.end = before
			if len(s.raw) == 0 {
				return nil, nil
			}
			return c, nil
		case e == nil && s.depth == 3:
			if _, ended := s.token.(xml.EndElement); ended {
				c.children = append(c.children, text[child:s.at])
			}
		}
	}
}
