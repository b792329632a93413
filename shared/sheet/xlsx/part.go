package xlsx

import (
	"errors"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/opc"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/xmlpull"
)

// openXML opens a part as XML.
func openXML(p *opc.Package, name string) (*xmlpull.Scanner, error) {
	part, err := p.Part(name)
	if err != nil {
		return nil, err
	}
	x, err := xmlpull.New(part)
	if err != nil {
		return nil, inPart(err, name)
	}
	return x, nil
}

// eachElement reads a small part whole and calls fn at every element's start.
// fn may read the element's text or skip it; it may not go on behind it.
func eachElement(p *opc.Package, name string, fn func(*xmlpull.Scanner) error) error {
	x, err := openXML(p, name)
	if err != nil {
		return err
	}
	for {
		tok, err := x.Next()
		if err != nil {
			return inPart(err, name)
		}
		switch tok {
		case xmlpull.EOF:
			return nil
		case xmlpull.Start:
			if err := fn(x); err != nil {
				return inPart(err, name)
			}
		}
	}
}

// attr is the value of an attribute, empty where absent.
func attr(x *xmlpull.Scanner, local string) (string, error) {
	raw, _ := x.Attr(local)
	value, err := xmlpull.Unescape(raw)
	return string(value), err
}

// isTrue reads a boolean of XML Schema.
func isTrue(value []byte) bool { return string(value) == "1" || string(value) == "true" }

// inPart says in which part a fault of the XML was found.
func inPart(err error, part string) error {
	var fault *problem.Error
	if !errors.As(err, &fault) {
		return err
	}
	return problem.Because(err, fault.Code, "The workbook cannot be read: in %.100q, %s", part, fault.Message)
}

func corrupt(format string, args ...any) error {
	return problem.New(problem.FileCorrupt, "The workbook is damaged: "+format+".", args...)
}
