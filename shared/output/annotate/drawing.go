package annotate

import (
	"bytes"
	"fmt"
	"io"
)

const drawingHead = `<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel">` +
	`<o:shapelayout v:ext="edit"><o:idmap v:ext="edit" data="1"/></o:shapelayout>`

const commentShapeType = `<v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe"><v:stroke joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>`

// firstShape is the number of our first shape: programs count from 1,024, with a thousand for
// each sheet.
const firstShape = 900_001

// writeDrawing writes the boxes in which programs show comments, after those of the existing
// drawing.
func (b *workbookPatch) writeDrawing(out io.Writer, in io.Reader) error {
	head, tail := []byte(drawingHead), []byte("</xml>")
	if in != nil {
		text, err := io.ReadAll(io.LimitReader(in, maxPart+1))
		if err != nil {
			return unsupportedError(err)
		}
		end := bytes.LastIndex(text, tail)
		if end < 0 || len(text) > maxPart {
			return unsupportedError(fmt.Errorf("the drawing of the comments is missing or too large"))
		}
		head, tail = text[:end], text[end:]
	}
	if !bytes.Contains(head, []byte(`"_x0000_t202"`)) {
		head = append(bytes.Clone(head), commentShapeType...)
	}
	if _, err := out.Write(head); err != nil {
		return err
	}
	shape := firstShape
	err := b.eachCommented(func(m Mark) error {
		if b.commented[cellRef(m.Row, m.Column)] {
			return nil
		}
		shape++
		return writeCommentShape(out, shape, m)
	})
	if err == nil {
		_, err = out.Write(tail)
	}
	return err
}

// writeCommentShape writes the box of one comment, hidden until the pointer is over its cell.
func writeCommentShape(out io.Writer, shape int, m Mark) error {
	row, column := m.Row-1, m.Column
	_, err := fmt.Fprintf(out, `<v:shape id="_x0000_s%d" type="#_x0000_t202" style="position:absolute;margin-left:60pt;margin-top:2pt;width:240pt;height:72pt;z-index:1;visibility:hidden" `+
		`fillcolor="#ffffe1" o:insetmode="auto"><v:fill color2="#ffffe1"/><v:shadow on="t" color="black" obscured="t"/><v:path o:connecttype="none"/>`+
		`<v:textbox style="mso-direction-alt:auto"><div style="text-align:left"></div></v:textbox><x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/>`+
		`<x:Anchor>%d, 15, %d, 2, %d, 31, %d, 1</x:Anchor><x:AutoFill>False</x:AutoFill><x:Row>%d</x:Row><x:Column>%d</x:Column></x:ClientData></v:shape>`,
		shape, column+1, max(row-1, 0), column+5, max(row-1, 0)+5, row, column)
	return err
}
