package errorworkbook

import (
	"io"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/output/export"
	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/output/workbook"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/value"
)

// leadingColumns is the number of columns before those of the file.
const leadingColumns = 2

// errorWorkbook is an error workbook being written.
type errorWorkbook struct {
	file     workbook.Book
	sheet    *workbook.Sheet
	language translation.Language
	decl     *entity.Declaration
	column   map[string]int // columns of the file, by field name
	cells    cellEncoder
	rows     int64
	values   []any
	styles   struct{ header, wrong, reason int }
}

func newErrorWorkbook(l translation.Language, decl *entity.Declaration, columns []job.MappedColumn, dialect *sheet.Dialect) (*errorWorkbook, error) {
	b := &errorWorkbook{
		language: l, decl: decl, column: make(map[string]int),
		cells: cellEncoder{decoder: value.New(dialect), columns: make(map[int]mappedCells)},
	}
	feeds := job.FieldsByColumn(columns)
	for _, c := range columns {
		field, places := decl.FieldIndex(c.TargetField), c.Columns()
		if field < 0 || len(places) == 0 {
			continue
		}
		b.column[c.TargetField] = places[0]
		// Columns that other texts are composed of keep the file's values.
		if !c.IsComposed() && len(feeds[c.ColumnIndex]) == 1 {
			b.cells.columns[c.ColumnIndex] = mappedCells{b.cells.decoder.For(c.Locale), decl.Fields[field].Kind}
		}
	}
	return b, b.writeHeader(dialect.Header)
}

func (b *errorWorkbook) writeHeader(header []string) (err error) {
	b.styles.header = b.file.Style(workbook.Style{Bold: true})
	b.styles.wrong = b.file.Style(workbook.Style{Colour: "9C0006", Fill: "FFC7CE"})
	b.styles.reason = b.file.Style(workbook.Style{Colour: "9C0006", Wrap: true, Vertical: "top"})
	b.sheet, err = b.file.Sheet(b.language.Text("Errors"), workbook.Layout{
		Columns: []workbook.Column{{Width: 12}, {Width: 60}}, FrozenColumns: leadingColumns, FrozenRows: 1,
	})
	if err != nil {
		return err
	}
	b.values = append(b.values[:0], job.RowHeader, job.ErrorHeader)
	for _, h := range header {
		b.values = append(b.values, export.GuardFormulaText(h))
	}
	for i, v := range b.values {
		b.values[i] = workbook.Cell{Style: b.styles.header, Value: v}
	}
	return b.sheet.Row(b.values...)
}

// addRow writes a row of the file with its errors.
func (b *errorWorkbook) addRow(r *sheet.Row, rowErrs []rowwrite.Error) error {
	if b.rows == maxRows {
		return errSheetFull
	}
	b.rows++
	b.values = append(b.values[:0], r.Number, workbook.Cell{Style: b.styles.reason, Value: b.reasonText(rowErrs)})
	for i, c := range r.Cells {
		b.values = append(b.values, b.cells.cellValue(i, c))
	}
	for _, f := range rowErrs {
		if column, ok := b.column[f.Field]; ok {
			b.markCell(leadingColumns + column)
		}
	}
	return b.sheet.Row(b.values...)
}

// markCell marks the cell at a position as invalid, even beyond the end of the row.
func (b *errorWorkbook) markCell(column int) {
	for len(b.values) <= column {
		b.values = append(b.values, nil)
	}
	if _, marked := b.values[column].(workbook.Cell); !marked {
		b.values[column] = workbook.Cell{Style: b.styles.wrong, Value: b.values[column]}
	}
}

// reasonText lists a row's errors, one per line.
func (b *errorWorkbook) reasonText(rowErrs []rowwrite.Error) string {
	lines := make([]string, len(rowErrs))
	for i, f := range rowErrs {
		message := f.Message
		if title := b.titleOf(f.Field) + ": "; f.Field != "" && !strings.HasPrefix(message, title) {
			message = title + message // messages of cells begin with it already
		}
		lines[i] = b.language.Text(message)
		if at := b.decl.FieldIndex(f.Field); at >= 0 {
			lines[i] = b.language.FieldMessage(b.decl.Fields[at].Title, b.decl.Fields[at].Titles, message)
		}
	}
	return export.GuardFormulaText(strings.Join(lines, "\n"))
}

func (b *errorWorkbook) titleOf(field string) string {
	if at := b.decl.FieldIndex(field); at >= 0 && b.decl.Fields[at].Title != "" {
		return b.decl.Fields[at].Title
	}
	return field
}

// finish writes the workbook.
func (b *errorWorkbook) finish(out io.Writer) error { return b.file.Finish(out) }
