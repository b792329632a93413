package annotate

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"

	"github.com/loadbay/loadbay/shared/sheet/cellname"
)

// afterLegacyDrawing are the elements of a sheet that come after the drawing of its comments.
var afterLegacyDrawing = map[string]bool{
	"legacyDrawingHF": true, "drawingHF": true, "picture": true, "oleObjects": true, "controls": true, "webPublishItems": true, "tableParts": true, "extLst": true,
}

// sheetWriter patches a sheet as a stream.
type sheetWriter struct {
	*workbookPatch
	out          io.Writer
	err          error
	next         func() (Mark, error, bool) // iterates over the marks
	mark         Mark                       // next mark to apply
	pending      bool                       // whether mark is valid
	row          int64                      // open row, from 1
	column       int                        // last cell, from 0
	name         xml.Name                   // element name of rows
	inSheetData  bool                       // between the start and the end of sheetData
	pendingEnd   string                     // end tag to write after a row that was empty
	needsDrawing bool                       // the sheet needs a reference to its new drawing
}

// sequence returns the marks one by one, with the error that ends them.
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

// errStopped ends the iteration over marks early.
var errStopped = errors.New("all marks are written")

// writeSheet writes the sheet with the marked cells in their styles.
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

// nextMark advances to the next mark.
func (w *sheetWriter) nextMark() (err error) {
	w.mark, err, w.pending = w.next()
	return err
}

func (w *sheetWriter) write(raw []byte) {
	if w.err == nil {
		_, w.err = w.out.Write(raw)
	}
}

// token writes one token, and anything to insert before it.
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

// maxColumn is beyond all columns.
const maxColumn = 1 << 20

// writeDrawingRef writes the reference to the drawing of the comments.
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

// openRow starts a row; the marks of missing rows are skipped.
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
		raw = withoutAttribute(raw, "spans") // cells may be added beyond it
		if bytes.HasSuffix(raw, []byte("/>")) {
			raw = append(bytes.Clone(raw[:len(raw)-2]), '>')
			w.pendingEnd = "</" + prefixedName(e.Name, "row") + ">"
		}
	}
	w.write(raw)
	return nil
}

// cell starts a cell.
func (w *sheetWriter) cell(e *xml.StartElement, raw []byte) error {
	w.column++
	if given := attributeOf(e, "r"); given != "" {
		column, ok := columnIndex(given)
		if !ok {
			return unsupportedError(fmt.Errorf("a cell has no reference"))
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

// fillTo adds the missing marked cells of a row, up to a column.
func (w *sheetWriter) fillTo(row int64, column int) error {
	for w.pending && w.mark.Row == row && w.mark.Column < column {
		w.write(fmt.Appendf(nil, `<%s r="%s" s="%d"/>`, prefixedName(w.name, "c"), cellRef(row, w.mark.Column), w.errorStyles(0)))
		if err := w.nextMark(); err != nil {
			return err
		}
	}
	return nil
}

// columnIndex returns the column of a cell reference, from 0: 27 for "AB12".
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

// cellRef returns the reference of a cell: "AB12".
func cellRef(row int64, column int) string {
	return cellname.Column(column) + strconv.FormatInt(row, 10)
}
