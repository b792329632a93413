package workbook

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/loadbay/loadbay/shared/sheet/cellname"
)

// Layout describes a sheet apart from its rows.
type Layout struct {
	Columns                   []Column
	FrozenColumns, FrozenRows int // stay visible while the rest is scrolled
	Hidden                    bool
	Validations               []Validation
}

// Column is the format of a column.
type Column struct {
	Width float64 // in characters; 0: default
	Style int     // style of its empty cells: see Book.Style
}

// Validation describes the values of a column from its second row. Other values cause a
// warning only.
type Validation struct {
	Column        int // from 0
	Required      bool
	Title, Prompt string // shown next to a cell; up to 32 and 255 units of UTF-16
	// List is the range of the choices, as in Lists!$A$1:$A$3; "" for none. The title and text
	// of the warning for any other value follow.
	List                  string
	WarnTitle, WarnPrompt string
}

// Sheet is one sheet of a workbook, written from its first row to its last.
type Sheet struct {
	name   string
	layout Layout
	body   *spillBuffer
	out    *bufio.Writer
	row    int
	buf    []byte
}

func newSheet(name string, l Layout, first bool) *Sheet {
	s := &Sheet{name: name, layout: l, body: &spillBuffer{}}
	s.out = bufio.NewWriterSize(s.body, 32<<10)
	s.out.WriteString(xmlDeclaration + `<worksheet xmlns="` + mainNamespace + `"><sheetViews><sheetView workbookViewId="0"`)
	if first {
		s.out.WriteString(` tabSelected="1"`)
	}
	s.out.WriteString(`>` + l.pane() + `</sheetView></sheetViews>` + l.columns() + `<sheetData>`)
	return s // finish returns the error of a failed write
}

// pane returns the XML of the frozen panes.
func (l *Layout) pane() string {
	if l.FrozenColumns == 0 && l.FrozenRows == 0 {
		return ""
	}
	text, active := `<pane`, "bottomRight"
	if l.FrozenColumns > 0 {
		text += fmt.Sprintf(` xSplit="%d"`, l.FrozenColumns)
	} else {
		active = "bottomLeft"
	}
	if l.FrozenRows > 0 {
		text += fmt.Sprintf(` ySplit="%d"`, l.FrozenRows)
	} else {
		active = "topRight"
	}
	return text + fmt.Sprintf(` topLeftCell="%s%d" activePane="%s" state="frozen"/>`, cellname.Column(l.FrozenColumns), l.FrozenRows+1, active)
}

// columns returns the XML of the column formats.
func (l *Layout) columns() string {
	var text strings.Builder
	for i, c := range l.Columns {
		if c == (Column{}) {
			continue
		}
		width := c.Width
		if width == 0 {
			width = 9
		}
		fmt.Fprintf(&text, `<col min="%d" max="%d" width="%s" customWidth="1" style="%d"/>`, i+1, i+1, strconv.FormatFloat(width, 'f', -1, 64), c.Style)
	}
	if text.Len() == 0 {
		return ""
	}
	return `<cols>` + text.String() + `</cols>`
}

// Row writes the next row: a string, bool, int, int64 or float64, a Cell with one of them,
// or nil for an empty cell, for each column.
func (s *Sheet) Row(values ...any) error {
	if s.row++; s.row > MaxRows {
		return fmt.Errorf("workbook: a sheet can have at most %d rows", MaxRows)
	}
	s.buf = strconv.AppendInt(append(s.buf[:0], `<row r="`...), int64(s.row), 10)
	s.buf = append(s.buf, `">`...)
	for column, v := range values {
		s.buf = s.appendCell(s.buf, column, v)
	}
	_, err := s.out.Write(append(s.buf, `</row>`...))
	if err != nil {
		return fmt.Errorf("workbook: row %d: %w", s.row, err)
	}
	return nil
}

// finish completes the sheet and adds it to the archive.
func (s *Sheet) finish(w *zip.Writer, name string) error {
	s.out.WriteString(`</sheetData>` + s.layout.validations() + `</worksheet>`)
	if err := s.out.Flush(); err != nil {
		return err
	}
	packed, err := s.body.finish()
	if err != nil {
		return err
	}
	f, err := w.CreateRaw(&zip.FileHeader{
		Name: name, Method: zip.Deflate, CRC32: s.body.crc, UncompressedSize64: uint64(s.body.size), CompressedSize64: uint64(s.body.packed),
	})
	if err != nil {
		return err
	}
	_, err = io.Copy(f, packed)
	return err
}

// validations returns the XML of the validations.
func (l *Layout) validations() string {
	if len(l.Validations) == 0 {
		return ""
	}
	var text strings.Builder
	fmt.Fprintf(&text, `<dataValidations count="%d">`, len(l.Validations))
	for _, v := range l.Validations {
		text.WriteString(`<dataValidation`)
		if v.List != "" {
			fmt.Fprintf(&text, ` type="list" errorStyle="warning" showErrorMessage="1" errorTitle="%s" error="%s"`, attribute(v.WarnTitle), attribute(v.WarnPrompt))
		}
		if !v.Required {
			text.WriteString(` allowBlank="1"`)
		}
		column := cellname.Column(v.Column)
		fmt.Fprintf(&text, ` showInputMessage="1" promptTitle="%s" prompt="%s" sqref="%s2:%s%d">`, attribute(v.Title), attribute(v.Prompt), column, column, MaxRows)
		if v.List != "" {
			text.WriteString(`<formula1>` + attribute(v.List) + `</formula1>`)
		}
		text.WriteString(`</dataValidation>`)
	}
	return text.String() + `</dataValidations>`
}
