package annotate

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
)

// maxStyles is the most formats of cells that programs take.
const maxStyles = 64_000

const noStyles = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" +
	`<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><fonts count="1"><font/></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
	`<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="1"><xf/></cellXfs></styleSheet>`

// planStyles gives each format of cells a second one that has the fill of wrong cells.
func (b *book) planStyles(types map[string]string) error {
	text := []byte(noStyles)
	if b.styles == "" {
		if b.styles = b.beside("styles.xml"); b.parts[canonical(b.styles)] != nil {
			b.styles = b.free(b.beside("styles%d.xml"))
		}
		rels, err := b.relations(b.main)
		if err != nil {
			return err
		}
		rels.add(b, "styles", b.styles)
		types[b.styles] = typesBase + "styles+xml"
	} else {
		var err error
		if text, err = b.read(b.styles); err != nil {
			return err
		}
	}
	text, n, err := filled(text)
	if err != nil {
		return err
	}
	b.restyle = func(s int) int {
		if 2*n > maxStyles || s < 0 || s >= n {
			s = 0
		}
		return n + s
	}
	b.replace(b.styles, text)
	return nil
}

// collection is an element of the style sheet with its children, as they are written.
type collection struct {
	name       xml.Name
	tag        []byte // as it begins
	begin, end int    // of what is between its tags
	children   [][]byte
}

// filled is a style sheet with the fill of wrong cells in it, and for each of its n formats
// of cells another one behind them that has the fill.
func filled(text []byte) (_ []byte, n int, err error) {
	fills, err := collect(text, "fills")
	if err != nil {
		return nil, 0, err
	}
	formats, err := collect(text, "cellXfs")
	if err != nil {
		return nil, 0, err
	}
	if formats == nil || len(formats.children) == 0 { // no cell can have a format
		return filled([]byte(noStyles))
	}
	if fills == nil || fills.begin > formats.begin {
		return nil, 0, unsupported(fmt.Errorf("the styles are incomplete"))
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
		tag(fills.name, "fill"), tag(fills.name, "patternFill"), tag(fills.name, "fgColor"), tag(fills.name, "bgColor"))
	text = formats.extend(text, added.Bytes(), n+len(again))
	return fills.extend(text, []byte(fill), len(fills.children)+1), n, nil
}

// extend is the text with more children in the collection, of which there are n then.
func (c *collection) extend(text, children []byte, n int) []byte {
	counted := withAttribute(c.tag, "count", strconv.Itoa(n))
	start := c.begin - len(c.tag)
	return slicesJoin(text[:start], counted, text[c.begin:c.end], children, text[c.end:])
}

// collect finds a collection of a style sheet; nil where there is none, or an empty one.
func collect(text []byte, local string) (*collection, error) {
	s := newScanner(bytes.NewReader(text))
	var c *collection
	child := 0
	for {
		more, err := s.next()
		if err != nil || !more {
			return nil, err
		}
		before := int(s.at) - len(s.raw)
		e := s.start()
		switch {
		case e != nil && s.depth == 2 && e.Name.Local == local:
			c = &collection{name: e.Name, tag: bytes.Clone(s.raw), begin: int(s.at)}
		case c == nil:
		case e != nil && s.depth == 3:
			child = before
		case s.depth == 2 && s.ends(local):
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
