package errorbook

import (
	"archive/zip"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/output/export"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/value"
)

// annotations is how many columns stand before those of the file.
const annotations = 2

// book is an error workbook on its way. excelize puts the sheet into a temporary
// file once it is large.
type book struct {
	file   *excelize.File
	sheet  *excelize.StreamWriter
	titles map[string]string // of fields, by name
	column map[string]int    // of the file, by the name of the field
	cells  cells
	rows   int64
	values []any
	styles struct{ header, wrong, reason int }
}

func newBook(decl *entity.Declaration, columns []job.MappedColumn, dialect *sheet.Dialect) (*book, error) {
	b := &book{
		file: excelize.NewFile(), titles: make(map[string]string), column: make(map[string]int),
		cells: cells{decoder: value.New(dialect), columns: make(map[int]mappedCells)},
	}
	for _, f := range decl.Fields {
		b.titles[f.Name] = f.Title
	}
	feeds := job.Feeds(columns)
	for _, c := range columns {
		field, places := decl.FieldIndex(c.TargetField), c.Columns()
		if field < 0 || len(places) == 0 {
			continue
		}
		b.column[c.TargetField] = places[0]
		// What other texts are composed of stays as the file has it.
		if !c.Composed() && len(feeds[c.ColumnIndex]) == 1 {
			b.cells.columns[c.ColumnIndex] = mappedCells{b.cells.decoder.For(c.Locale), decl.Fields[field].Kind}
		}
	}
	if err := b.begin(dialect.Header); err != nil {
		return nil, errors.Join(err, b.file.Close())
	}
	return b, nil
}

func (b *book) begin(header []string) (err error) {
	const sheetName = "Errors"
	if err := b.file.SetSheetName(b.file.GetSheetName(0), sheetName); err != nil {
		return err
	}
	if err := b.addStyles(); err != nil {
		return err
	}
	if b.sheet, err = b.file.NewStreamWriter(sheetName); err != nil {
		return err
	}
	for column, width := range []float64{12, 60} {
		if err := b.sheet.SetColWidth(column+1, column+1, width); err != nil {
			return err
		}
	}
	frozen := &excelize.Panes{Freeze: true, XSplit: annotations, YSplit: 1, TopLeftCell: "C2", ActivePane: "bottomRight"}
	if err := b.sheet.SetPanes(frozen); err != nil {
		return err
	}
	b.values = append(b.values[:0], job.RowHeader, job.ErrorHeader)
	for _, h := range header {
		b.values = append(b.values, export.GuardText(h))
	}
	for i, v := range b.values {
		b.values[i] = excelize.Cell{StyleID: b.styles.header, Value: v}
	}
	return b.sheet.SetRow("A1", b.values)
}

func (b *book) addStyles() error {
	for _, s := range []struct {
		id    *int
		style *excelize.Style
	}{
		{&b.styles.header, &excelize.Style{Font: &excelize.Font{Bold: true}}},
		{&b.styles.wrong, &excelize.Style{
			Font: &excelize.Font{Color: "9C0006"},
			Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"FFC7CE"}},
		}},
		{&b.styles.reason, &excelize.Style{Font: &excelize.Font{Color: "9C0006"}, Alignment: &excelize.Alignment{WrapText: true, Vertical: "top"}}},
	} {
		var err error
		if *s.id, err = b.file.NewStyle(s.style); err != nil {
			return err
		}
	}
	return nil
}

// add writes a row of the file with what is wrong with it.
func (b *book) add(r *sheet.Row, rowErrs []job.RowError) error {
	if b.rows == maxRows {
		return errFull
	}
	b.rows++
	b.values = append(b.values[:0], r.Number, excelize.Cell{StyleID: b.styles.reason, Value: b.reasons(rowErrs)})
	for i, c := range r.Cells {
		b.values = append(b.values, b.cells.value(i, c))
	}
	for _, f := range rowErrs {
		if column, ok := b.column[f.Field]; ok {
			b.mark(annotations + column)
		}
	}
	return b.sheet.SetRow("A"+strconv.FormatInt(b.rows+1, 10), b.values)
}

// mark shows that the cell at a place is wrong, also where the row ends before it.
func (b *book) mark(column int) {
	for len(b.values) <= column {
		b.values = append(b.values, nil)
	}
	if _, marked := b.values[column].(excelize.Cell); !marked {
		b.values[column] = excelize.Cell{StyleID: b.styles.wrong, Value: b.values[column]}
	}
}

// reasons lists a row's errors, one a line.
func (b *book) reasons(rowErrs []job.RowError) string {
	lines := make([]string, len(rowErrs))
	for i, f := range rowErrs {
		if lines[i] = f.Message; f.Field != "" {
			lines[i] = b.titleOf(f.Field) + ": " + f.Message
		}
	}
	return export.GuardText(strings.Join(lines, "\n"))
}

func (b *book) titleOf(field string) string {
	if title := b.titles[field]; title != "" {
		return title
	}
	return field
}

// finish writes the workbook.
func (b *book) finish(out io.Writer) error {
	if err := b.sheet.Flush(); err != nil {
		return err
	}
	// excelize would gather the whole archive in memory; its zip writer can be
	// made to write elsewhere.
	b.file.SetZipWriter(func(io.Writer) excelize.ZipWriter { return zip.NewWriter(out) })
	_, err := b.file.WriteToBuffer()
	return err
}
