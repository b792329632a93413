package annotate

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxText is the maximum length of a comment in characters.
const maxText = 2000

// reasonText returns a mark's text, escaped for XML.
func reasonText(m Mark) string {
	text := []rune(m.Text)
	if len(text) > maxText {
		text = append(text[:maxText], '…')
	}
	return escapeText(string(text))
}

// eachCommented calls do for the marks that get a comment.
func (b *workbookPatch) eachCommented(do func(Mark) error) error {
	n := 0
	err := b.marks(func(m Mark) error {
		if n++; n > MaxComments {
			return errStopped
		}
		return do(m)
	})
	if errors.Is(err, errStopped) {
		return nil
	}
	return err
}

// author is the author of the comments.
const author = "Loadbay"

// writeComments writes the existing comments of the sheet and those of the marks. A cell has
// at most one comment, so reasons are appended to an existing one.
func (b *workbookPatch) writeComments(out io.Writer, in io.Reader) error {
	if in == nil {
		space := "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
		if b.strict {
			space = "http://purl.oclc.org/ooxml/spreadsheetml/main"
		}
		in = strings.NewReader(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" +
			`<comments xmlns="` + space + `"><authors></authors><commentList></commentList></comments>`)
	}
	reasons, err := b.reasonsForCommented()
	if err != nil {
		return err
	}
	c := &commentWriter{workbookPatch: b, out: out, reasons: reasons}
	s := newScanner(in)
	for {
		more, err := s.next()
		if err != nil || !more {
			return err
		}
		if err := c.token(s); err != nil {
			return err
		}
	}
}

// reasonsForCommented returns the reasons of marked cells that already have a comment.
func (b *workbookPatch) reasonsForCommented() (map[string]string, error) {
	reasons := make(map[string]string)
	if len(b.commented) == 0 {
		return reasons, nil
	}
	return reasons, b.eachCommented(func(m Mark) error {
		if ref := cellRef(m.Row, m.Column); b.commented[ref] {
			reasons[ref] = reasonText(m)
		}
		return nil
	})
}

// commentWriter patches the comments as a stream.
type commentWriter struct {
	*workbookPatch
	out     io.Writer
	reasons map[string]string // for cells that have a comment
	authors int
	ref     string // cell of the open comment
}

func (c *commentWriter) token(s *scanner) error {
	before, raw := "", s.raw
	e := s.startElement()
	end, _ := s.token.(xml.EndElement)
	switch {
	case e != nil && e.Name.Local == "author":
		c.authors++
	case e != nil && e.Name.Local == "comment":
		c.ref = attributeOf(e, "ref")
	case s.isEnd("authors"):
		before = "<" + prefixedName(end.Name, "author") + ">" + author + "</" + prefixedName(end.Name, "author") + ">"
	case s.isEnd("text") && c.reasons[c.ref] != "":
		before = textRun(end.Name, "\n"+author+": "+c.reasons[c.ref])
	case s.isEnd("commentList"):
		if err := c.add(end.Name); err != nil {
			return err
		}
	}
	if (before != "" || s.isEnd("commentList")) && len(raw) == 0 {
		return unsupportedError(fmt.Errorf("the comments are incomplete"))
	}
	_, err := c.out.Write(append([]byte(before), raw...))
	return err
}

// add writes the comments of cells that have none.
func (c *commentWriter) add(like xml.Name) error {
	return c.eachCommented(func(m Mark) error {
		ref := cellRef(m.Row, m.Column)
		if c.commented[ref] {
			return nil
		}
		comment, text := prefixedName(like, "comment"), prefixedName(like, "text")
		_, err := fmt.Fprintf(c.out, `<%s ref="%s" authorId="%d"><%s>%s</%s></%s>`, comment, ref, c.authors, text, textRun(like, reasonText(m)), text, comment)
		return err
	})
}

// textRun returns a text run of a comment.
func textRun(like xml.Name, text string) string {
	r, t := prefixedName(like, "r"), prefixedName(like, "t")
	return "<" + r + "><" + t + ` xml:space="preserve">` + text + "</" + t + "></" + r + ">"
}
