package template

import (
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/output/workbook"
)

// styles are the numbers of the cell styles.
type styles struct {
	required, optional    int // headers
	text, date, timestamp int // columns
	title, plain          int // instructions
}

func (b *templateWorkbook) addStyles() {
	header := func(fill string) int {
		return b.file.Style(workbook.Style{Bold: true, Colour: "FFFFFF", Fill: fill, Vertical: "center"})
	}
	b.styles = styles{
		required: header("1F4E79"), optional: header("7F7F7F"),
		text:      b.file.Style(workbook.Style{Format: "@"}), // preserves leading zeros
		date:      b.file.Style(workbook.Style{Format: "yyyy-mm-dd"}),
		timestamp: b.file.Style(workbook.Style{Format: "yyyy-mm-dd hh:mm:ss"}),
		title:     b.file.Style(workbook.Style{Bold: true, Size: 14}),
		plain:     b.file.Style(workbook.Style{Wrap: true, Vertical: "top"}),
	}
}

// styleOf returns the style of a field's column.
func (b *templateWorkbook) styleOf(k entity.Kind) int {
	switch k {
	case entity.Integer, entity.Decimal:
		return 0
	case entity.Date:
		return b.styles.date
	case entity.Timestamp:
		return b.styles.timestamp
	default:
		return b.styles.text
	}
}
