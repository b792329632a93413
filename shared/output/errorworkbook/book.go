package errorworkbook

import (
	"io"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/output/export"
	"github.com/loadbay/loadbay/shared/output/workbook"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/value"
)

// annotations is how many columns stand before those of the file.
const annotations = 2

// book is an error workbook on its way.
type book struct {
	file   workbook.Book
	sheet  *workbook.Sheet
	titles map[string]string // of fields, by name
	column map[string]int    // of the file, by the name of the field
	cells  cells
	rows   int64
	values []any
	styles struct{ header, wrong, reason int }
}

func newBook(decl *entity.Declaration, columns []job.MappedColumn, dialect *sheet.Dialect) (*book, error) {
	b := &book{
		titles: make(map[string]string), column: make(map[string]int),
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
	return b, b.begin(dialect.Header)
}

func (b *book) begin(header []string) (err error) {
	b.styles.header = b.file.Style(workbook.Style{Bold: true})
	b.styles.wrong = b.file.Style(workbook.Style{Colour: "9C0006", Fill: "FFC7CE"})
	b.styles.reason = b.file.Style(workbook.Style{Colour: "9C0006", Wrap: true, Vertical: "top"})
	b.sheet, err = b.file.Sheet("Errors", workbook.Layout{
		Columns: []workbook.Column{{Width: 12}, {Width: 60}}, FrozenColumns: annotations, FrozenRows: 1,
	})
	if err != nil {
		return err
	}
	b.values = append(b.values[:0], job.RowHeader, job.ErrorHeader)
	for _, h := range header {
		b.values = append(b.values, export.GuardText(h))
	}
	for i, v := range b.values {
		b.values[i] = workbook.Cell{Style: b.styles.header, Value: v}
	}
	return b.sheet.Row(b.values...)
}

// add writes a row of the file with what is wrong with it.
func (b *book) add(r *sheet.Row, rowErrs []job.RowError) error {
	if b.rows == maxRows {
		return errFull
	}
	b.rows++
	b.values = append(b.values[:0], r.Number, workbook.Cell{Style: b.styles.reason, Value: b.reasons(rowErrs)})
	for i, c := range r.Cells {
		b.values = append(b.values, b.cells.value(i, c))
	}
	for _, f := range rowErrs {
		if column, ok := b.column[f.Field]; ok {
			b.mark(annotations + column)
		}
	}
	return b.sheet.Row(b.values...)
}

// mark shows that the cell at a place is wrong, also where the row ends before it.
func (b *book) mark(column int) {
	for len(b.values) <= column {
		b.values = append(b.values, nil)
	}
	if _, marked := b.values[column].(workbook.Cell); !marked {
		b.values[column] = workbook.Cell{Style: b.styles.wrong, Value: b.values[column]}
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
func (b *book) finish(out io.Writer) error { return b.file.Finish(out) }
