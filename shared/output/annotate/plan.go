package annotate

import (
	"encoding/xml"
	"io"
)

const typesBase = "application/vnd.openxmlformats-officedocument.spreadsheetml."

// plan determines which parts are patched and which are new.
func (b *workbookPatch) plan() error {
	types := make(map[string]string)
	if err := b.planStyles(types); err != nil {
		return err
	}
	fresh := b.drawing == ""
	if b.comments == "" {
		b.comments = b.unusedPartName(b.siblingPart("commentsLoadbay%d.xml"))
		b.sheetRels.add(b, "comments", b.comments)
		types[b.comments] = typesBase + "comments+xml"
	}
	if fresh {
		b.drawing = b.unusedPartName(b.siblingPart("drawings/vmlDrawingLoadbay%d.vml"))
		b.legacy = b.sheetRels.add(b, "vmlDrawing", b.drawing)
	}
	if err := b.findComments(); err != nil {
		return err
	}
	b.patch(b.sheet, func(out io.Writer, in io.Reader) error { return b.writeSheet(out, in, fresh) })
	b.patch(b.comments, b.writeComments)
	b.patch(b.drawing, b.writeDrawing)
	return b.declare(types, fresh)
}

// legacyDrawing returns the relation of the drawing of comments to which the sheet refers, or
// "".
func (b *workbookPatch) legacyDrawing() (id string, err error) {
	in, err := b.parts[canonicalName(b.sheet)].Open()
	if err != nil {
		return "", unsupportedError(err)
	}
	defer in.Close()
	s := newScanner(in)
	for {
		more, err := s.next()
		if err != nil || !more {
			return "", err
		}
		if e := s.startElement(); e != nil && s.depth == 2 && e.Name.Local == "legacyDrawing" {
			return attributeOf(e, "id"), nil
		}
	}
}

// findComments collects the cells that have a comment.
func (b *workbookPatch) findComments() error {
	if b.parts[canonicalName(b.comments)] == nil {
		return nil
	}
	return b.eachElement(b.comments, func(e *xml.StartElement, _ int) error {
		if e.Name.Local == "comment" {
			b.commented[attributeOf(e, "ref")] = true
		}
		return nil
	})
}
