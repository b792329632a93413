package template

import (
	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/entity"
)

// styles are the looks of cells.
type styles struct {
	required, optional int // headers
	text, date, moment int // columns
	title, plain       int // instructions
}

// Number formats. As text, what people type keeps its leading zeros.
// ECMA-376 Part 1, 18.8.30.
const (
	formatGeneral = 0
	formatText    = 49
)

func (b *book) addStyles() error {
	header := func(fill string) *excelize.Style {
		return &excelize.Style{
			Font:      &excelize.Font{Bold: true, Color: "FFFFFF"},
			Fill:      excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{fill}},
			Alignment: &excelize.Alignment{Vertical: "center"},
		}
	}
	date, moment := "yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss"
	for _, s := range []struct {
		id    *int
		style *excelize.Style
	}{
		{&b.styles.required, header("1F4E79")},
		{&b.styles.optional, header("7F7F7F")},
		{&b.styles.text, &excelize.Style{NumFmt: formatText}},
		{&b.styles.date, &excelize.Style{CustomNumFmt: &date}},
		{&b.styles.moment, &excelize.Style{CustomNumFmt: &moment}},
		{&b.styles.title, &excelize.Style{Font: &excelize.Font{Bold: true, Size: 14}}},
		{&b.styles.plain, &excelize.Style{Alignment: &excelize.Alignment{WrapText: true, Vertical: "top"}}},
	} {
		var err error
		if *s.id, err = b.file.NewStyle(s.style); err != nil {
			return err
		}
	}
	return nil
}

// styleOf is the look of a field's column.
func (b *book) styleOf(k entity.Kind) int {
	switch k {
	case entity.Integer, entity.Decimal:
		return formatGeneral
	case entity.Date:
		return b.styles.date
	case entity.Timestamp:
		return b.styles.moment
	default:
		return b.styles.text
	}
}
