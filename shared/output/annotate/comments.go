package annotate

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxText is the most characters of a comment.
const maxText = 2000

// reason is a mark's text as XML has it.
func reason(m Mark) string {
	text := []rune(m.Text)
	if len(text) > maxText {
		text = append(text[:maxText], '…')
	}
	return escaped(string(text))
}

// each calls do for the marks that get a comment.
func (b *book) each(do func(Mark) error) error {
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

// author is who says what is wrong.
const author = "Loadbay"

// writeComments writes the comments of the sheet: those that it has, and those about wrong
// cells. One cell has one comment, so what is wrong is added to the one that is there.
func (b *book) writeComments(out io.Writer, in io.Reader) error {
	if in == nil {
		space := "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
		if b.strict {
			space = "http://purl.oclc.org/ooxml/spreadsheetml/main"
		}
		in = strings.NewReader(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" +
			`<comments xmlns="` + space + `"><authors></authors><commentList></commentList></comments>`)
	}
	reasons, err := b.reasonsOfCommented()
	if err != nil {
		return err
	}
	c := &commentWriter{book: b, out: out, reasons: reasons}
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

// reasonsOfCommented is what is wrong with cells that have a comment of their own.
func (b *book) reasonsOfCommented() (map[string]string, error) {
	reasons := make(map[string]string)
	if len(b.commented) == 0 {
		return reasons, nil
	}
	return reasons, b.each(func(m Mark) error {
		if ref := place(m.Row, m.Column); b.commented[ref] {
			reasons[ref] = reason(m)
		}
		return nil
	})
}

// commentWriter patches the comments on their way.
type commentWriter struct {
	*book
	out     io.Writer
	reasons map[string]string // of cells that have a comment
	authors int
	ref     string // of the comment that is open
}

func (c *commentWriter) token(s *scanner) error {
	before, raw := "", s.raw
	e := s.start()
	end, _ := s.token.(xml.EndElement)
	switch {
	case e != nil && e.Name.Local == "author":
		c.authors++
	case e != nil && e.Name.Local == "comment":
		c.ref = attribute(e, "ref")
	case s.ends("authors"):
		before = "<" + tag(end.Name, "author") + ">" + author + "</" + tag(end.Name, "author") + ">"
	case s.ends("text") && c.reasons[c.ref] != "":
		before = run(end.Name, "\n"+author+": "+c.reasons[c.ref])
	case s.ends("commentList"):
		if err := c.add(end.Name); err != nil {
			return err
		}
	}
	if (before != "" || s.ends("commentList")) && len(raw) == 0 {
		return unsupported(fmt.Errorf("the comments are incomplete"))
	}
	_, err := c.out.Write(append([]byte(before), raw...))
	return err
}

// add writes the comments of cells that have none.
func (c *commentWriter) add(like xml.Name) error {
	return c.each(func(m Mark) error {
		ref := place(m.Row, m.Column)
		if c.commented[ref] {
			return nil
		}
		comment, text := tag(like, "comment"), tag(like, "text")
		_, err := fmt.Fprintf(c.out, `<%s ref="%s" authorId="%d"><%s>%s</%s></%s>`, comment, ref, c.authors, text, run(like, reason(m)), text, comment)
		return err
	})
}

// run is a text in a comment.
func run(like xml.Name, text string) string {
	r, t := tag(like, "r"), tag(like, "t")
	return "<" + r + "><" + t + ` xml:space="preserve">` + text + "</" + t + "></" + r + ">"
}
