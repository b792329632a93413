package xlsx

import (
	"regexp"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/opc"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/xmlpull"
)

// openXML opens a part as XML.
func openXML(p *opc.Package, name string) (*xmlpull.Scanner, error) {
	part, err := p.Part(name)
	if err != nil {
		return nil, err
	}
	return xmlpull.New(partLabel(name), part)
}

// standardPartNames matches the usual names of parts.
var standardPartNames = regexp.MustCompile(`^(_rels/\.rels|xl/(_rels/)?(workbook|styles|sharedStrings|worksheets/sheet[0-9]{1,6})\.xml(\.rels)?)$`)

// partLabel returns the name of a part for messages. Messages are in logs and in the execution's
// history, which must not contain data of the file, including its own part names.
func partLabel(part string) string {
	if standardPartNames.MatchString(part) {
		return part
	}
	return "a part"
}

// eachElement reads a whole small part and calls fn at every element's start. fn may read the
// element's text or skip it; it must not advance beyond it.
func eachElement(p *opc.Package, name string, fn func(*xmlpull.Scanner) error) error {
	x, err := openXML(p, name)
	if err != nil {
		return err
	}
	for {
		tok, err := x.Next()
		if err != nil {
			return err
		}
		switch tok {
		case xmlpull.EOF:
			return nil
		case xmlpull.Start:
			if err := fn(x); err != nil {
				return err
			}
		}
	}
}

// maxLabel exceeds the length of any name or path in a workbook by far.
const maxLabel = 1 << 10

// attr returns the value of an attribute, or "".
func attr(x *xmlpull.Scanner, local string) (string, error) {
	raw, _ := x.Attr(local)
	if len(raw) > maxLabel {
		return "", corruptError("a name of %d bytes", len(raw))
	}
	value, err := x.Unescape(raw)
	return string(value), err
}

// isTrue parses a boolean of XML Schema.
func isTrue(value []byte) bool { return string(value) == "1" || string(value) == "true" }

// isFlagged reports whether an attribute of the current element is true.
func isFlagged(x *xmlpull.Scanner, local string) bool {
	value, _ := x.Attr(local)
	return isTrue(value)
}

// eachChild calls fn for each child of the current element with that name, and skips the others.
func eachChild(x *xmlpull.Scanner, local string, fn func(*xmlpull.Scanner)) error {
	for {
		tok, err := x.Next()
		if err != nil || tok != xmlpull.Start {
			return err
		}
		if string(x.Local()) == local {
			fn(x)
		}
		if err := x.Skip(); err != nil {
			return err
		}
	}
}

func corruptError(format string, args ...any) error {
	return sheet.DamagedError(nil, format, args...)
}
