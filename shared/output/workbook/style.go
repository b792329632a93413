package workbook

import (
	"fmt"
	"slices"
	"strings"
)

// Style is the format of a cell. Colours are RRGGBB; the zero value is the format of a cell
// without a style.
type Style struct {
	Bold     bool
	Size     int // font size in points; 0: 11
	Colour   string
	Fill     string
	Wrap     bool
	Vertical string // "top", "center" or "" for the bottom
	// Format is a number format code, such as yyyy-mm-dd; "@" is text, which preserves leading
	// zeros that people type.
	Format string
}

// Style returns the number of a style in this workbook, of which 0 is none.
func (b *Book) Style(s Style) int {
	if s == (Style{}) {
		return 0
	}
	i := slices.Index(b.styles, s)
	if i < 0 {
		i = len(b.styles)
		b.styles = append(b.styles, s)
	}
	return i + 1
}

// firstFormat is the first number of custom number formats.
const firstFormat = 164

// stylesPart returns the XML of all styles, each with a font, a fill and a format of its own.
func (b *Book) stylesPart() string {
	var formats, fonts, fills, cells strings.Builder
	for i, s := range b.styles {
		fmt.Fprintf(&formats, `<numFmt numFmtId="%d" formatCode="%s"/>`, firstFormat+i, attribute(defaultTo(s.Format, "General")))
		fonts.WriteString(s.font())
		fills.WriteString(s.fill())
		fmt.Fprintf(&cells, `<xf numFmtId="%d" fontId="%d" fillId="%d" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1" applyFill="1" applyAlignment="1">%s</xf>`,
			firstFormat+i, i+1, i+2, s.alignment())
	}
	n := len(b.styles)
	numFmts := ""
	if n > 0 {
		numFmts = fmt.Sprintf(`<numFmts count="%d">%s</numFmts>`, n, formats.String())
	}
	return xmlDeclaration + `<styleSheet xmlns="` + mainNamespace + `">` + numFmts +
		fmt.Sprintf(`<fonts count="%d">%s%s</fonts>`, n+1, Style{}.font(), fonts.String()) +
		fmt.Sprintf(`<fills count="%d"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>%s</fills>`, n+2, fills.String()) +
		`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
		`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
		fmt.Sprintf(`<cellXfs count="%d"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>%s</cellXfs>`, n+1, cells.String()) +
		`<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
}

func (s Style) font() string {
	const usual = 11
	text := `<font>`
	if s.Bold {
		text += `<b/>`
	}
	size := usual
	if s.Size > 0 {
		size = s.Size
	}
	text += fmt.Sprintf(`<sz val="%d"/>`, size)
	if s.Colour != "" {
		text += `<color rgb="FF` + s.Colour + `"/>`
	}
	return text + `<name val="Calibri"/><family val="2"/></font>`
}

func (s Style) fill() string {
	if s.Fill == "" {
		return `<fill><patternFill patternType="none"/></fill>`
	}
	return `<fill><patternFill patternType="solid"><fgColor rgb="FF` + s.Fill + `"/></patternFill></fill>`
}

func (s Style) alignment() string {
	text := `<alignment`
	if s.Vertical != "" {
		text += ` vertical="` + s.Vertical + `"`
	}
	if s.Wrap {
		text += ` wrapText="1"`
	}
	return text + `/>`
}

func defaultTo(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
