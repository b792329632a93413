package annotate

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
)

// afterLegacyDrawing are the elements of a sheet that come after the drawing of its comments.
var afterLegacyDrawing = map[string]bool{
	"legacyDrawingHF": true, "drawingHF": true, "picture": true, "oleObjects": true, "controls": true, "webPublishItems": true, "tableParts": true, "extLst": true,
}

// sheetWriter patches a sheet on its way.
type sheetWriter struct {
	*workbookPatch
	out          io.Writer
	err          error
	next         func() (Mark, error, bool) // of the marks
	mark         Mark                       // the first one that is not set yet
	pending      bool                       // there is one
	row          int64                      // that is open, from 1
	column       int                        // of the last cell, from 0
	name         xml.Name                   // of rows
	inSheetData  bool                       // between sheetData and its end
	pendingEnd   string                     // what is to be written at the end of a row that was empty
	needsDrawing bool                       // the sheet is to name its new drawing
}

// sequence is the marks one by one, with the error that ends them.
func (m Marks) sequence() iter.Seq2[Mark, error] {
	return func(yield func(Mark, error) bool) {
		err := m(func(mark Mark) error {
			if !yield(mark, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(Mark{}, err)
		}
	}
}

// errStopped ends marks of which no more are wanted.
var errStopped = errors.New("no more marks are wanted")

// writeSheet writes the sheet with wrong cells in their styles.
func (b *workbookPatch) writeSheet(out io.Writer, in io.Reader, fresh bool) error {
	next, stop := iter.Pull2(b.marks.sequence())
	defer stop()
	w := &sheetWriter{workbookPatch: b, out: out, next: next, needsDrawing: fresh}
	if err := w.nextMark(); err != nil {
		return err
	}
	s := newScanner(in)
	for {
		more, err := s.next()
		if err != nil || w.err != nil {
			return firstElement(w.err, err)
		}
		if !more {
			return nil
		}
		if err := w.token(s); err != nil {
			return err
		}
	}
}

func firstElement(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// nextMark takes the next mark.
func (w *sheetWriter) nextMark() (err error) {
	w.mark, err, w.pending = w.next()
	return err
}

func (w *sheetWriter) write(raw []byte) {
	if w.err == nil {
		_, w.err = w.out.Write(raw)
	}
}

// token writes one token, and what comes before it.
func (w *sheetWriter) token(s *scanner) error {
	e := s.startElement()
	switch {
	case e != nil && s.depth == 2 && e.Name.Local == "sheetData":
		w.inSheetData = true
	case s.depth == 2 && s.isEnd("sheetData"):
		w.inSheetData = false
	case w.needsDrawing && (e != nil && s.depth == 2 && afterLegacyDrawing[e.Name.Local] || s.depth == 1 && s.isEnd("worksheet")):
		w.writeDrawingRef(s)
	case w.inSheetData && e != nil && s.depth == 3 && e.Name.Local == "row":
		return w.openRow(e, s.raw)
	case w.inSheetData && e != nil && s.depth == 4 && e.Name.Local == "c":
		return w.cell(e, s.raw)
	case w.inSheetData && s.depth == 3 && s.isEnd("row"):
		if err := w.fillTo(w.row, maxColumn); err != nil {
			return err
		}
		w.write([]byte(w.pendingEnd))
		w.pendingEnd = ""
	}
	w.write(s.raw)
	return nil
}

// maxColumn is behind all columns.
const maxColumn = 1 << 20

// writeDrawingRef names the drawing of the comments.
func (w *sheetWriter) writeDrawingRef(s *scanner) {
	w.needsDrawing = false
	var name xml.Name
	switch t := s.token.(type) {
	case xml.StartElement:
		name = t.Name
	case xml.EndElement:
		name = t.Name
	}
	base := "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	if w.strict {
		base = "http://purl.oclc.org/ooxml/officeDocument/relationships"
	}
	w.write(fmt.Appendf(nil, `<%s xmlns:r="%s" r:id="%s"/>`, prefixedName(name, "legacyDrawing"), base, w.legacy))
}

// openRow begins a row; the marks of rows that are not there are left out.
func (w *sheetWriter) openRow(e *xml.StartElement, raw []byte) error {
	w.row, w.column, w.name = w.row+1, -1, e.Name
	if given := attributeOf(e, "r"); given != "" {
		n, err := strconv.ParseInt(given, 10, 64)
		if err != nil {
			return unsupportedError(err)
		}
		w.row = n
	}
	for w.pending && w.mark.Row < w.row {
		if err := w.nextMark(); err != nil {
			return err
		}
	}
	if w.pending && w.mark.Row == w.row {
		raw = withoutAttribute(raw, "spans") // cells may be added beyond
		if bytes.HasSuffix(raw, []byte("/>")) {
			raw = append(bytes.Clone(raw[:len(raw)-2]), '>')
			w.pendingEnd = "</" + prefixedName(e.Name, "row") + ">"
		}
	}
	w.write(raw)
	return nil
}

// cell begins a cell.
func (w *sheetWriter) cell(e *xml.StartElement, raw []byte) error {
	w.column++
	if given := attributeOf(e, "r"); given != "" {
		column, ok := columnIndex(given)
		if !ok {
			return unsupportedError(fmt.Errorf("a cell has no place"))
		}
		w.column = column
	}
	if err := w.fillTo(w.row, w.column); err != nil {
		return err
	}
	if w.pending && w.mark.Row == w.row && w.mark.Column == w.column {
		style, err := strconv.Atoi(attributeOf(e, "s"))
		if err != nil {
			style = 0
		}
		raw = withAttribute(raw, "s", strconv.Itoa(w.errorStyles(style)))
		if err := w.nextMark(); err != nil {
			return err
		}
	}
	w.write(raw)
	return nil
}

// fillTo adds the wrong cells of a row that are empty, up to a column.
func (w *sheetWriter) fillTo(row int64, column int) error {
	for w.pending && w.mark.Row == row && w.mark.Column < column {
		w.write(fmt.Appendf(nil, `<%s r="%s" s="%d"/>`, prefixedName(w.name, "c"), cellRef(row, w.mark.Column), w.errorStyles(0)))
		if err := w.nextMark(); err != nil {
			return err
		}
	}
	return nil
}

// columnIndex is the column of a cell's place, from 0: 27 of "AB12".
func columnIndex(place string) (int, bool) {
	n := 0
	for i := range len(place) {
		c := place[i] &^ 0x20
		if c < 'A' || c > 'Z' {
			return n - 1, i > 0 && n <= maxColumn
		}
		if n = n*26 + int(c-'A') + 1; n > maxColumn {
			return 0, false
		}
	}
	return n - 1, false
}

// cellRef is what a cell is called: "AB12".
func cellRef(row int64, column int) string {
	name := ""
	for n := column + 1; n > 0; n = (n - 1) / 26 {
		name = string(rune('A'+(n-1)%26)) + name
	}
	return name + strconv.FormatInt(row, 10)
}
