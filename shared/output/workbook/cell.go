package workbook

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/sheet/cellname"
)

// Cell is a value with a style of the workbook.
type Cell struct {
	Value any
	Style int
}

func (s *Sheet) appendCell(b []byte, column int, v any) []byte {
	style := 0
	if c, styled := v.(Cell); styled {
		v, style = c.Value, c.Style
	}
	if v == nil && style == 0 {
		return b
	}
	b = append(append(b, `<c r="`...), cellname.Column(column)...)
	b = append(strconv.AppendInt(b, int64(s.row), 10), '"')
	if style != 0 {
		b = append(strconv.AppendInt(append(b, ` s="`...), int64(style), 10), '"')
	}
	switch v := v.(type) {
	case nil:
		return append(b, `/>`...)
	case bool:
		return append(strconv.AppendInt(append(b, ` t="b"><v>`...), map[bool]int64{true: 1}[v], 10), `</v></c>`...)
	case int:
		return append(strconv.AppendInt(append(b, `><v>`...), int64(v), 10), `</v></c>`...)
	case int64:
		return append(strconv.AppendInt(append(b, `><v>`...), v, 10), `</v></c>`...)
	case float64:
		return append(strconv.AppendFloat(append(b, `><v>`...), v, 'f', -1, 64), `</v></c>`...)
	case string:
		b = append(b, ` t="inlineStr"><is><t`...)
		if strings.TrimSpace(v) != v || strings.ContainsAny(v, "\n\t") {
			b = append(b, ` xml:space="preserve"`...)
		}
		return append(appendText(append(b, '>'), truncateText(v)), `</t></is></c>`...)
	}
	panic(fmt.Sprintf("workbook: a cell cannot be a %T", v)) // an error of the program, never of the data
}

// truncateText truncates a text to the maximum length of a cell.
func truncateText(text string) string {
	if len(text) <= MaxCellUTF16 {
		return text
	}
	units := 0
	for i, r := range text {
		if units += utf16.RuneLen(r); units > MaxCellUTF16 {
			return text[:i]
		}
	}
	return text
}

// appendText appends a text in the form of a cell: characters that XML does not allow become
// _xHHHH_, and so does the start of a text that resembles such an escape (ECMA-376-1,
// 22.9.2.19).
func appendText(b []byte, text string) []byte {
	for i, r := range text {
		switch {
		case r == '&':
			b = append(b, `&amp;`...)
		case r == '<':
			b = append(b, `&lt;`...)
		case r == '>':
			b = append(b, `&gt;`...)
		case r == '_' && looksEscaped(text[i:]):
			b = append(b, `_x005F_`...)
		case r == 0:
			b = utf8.AppendRune(b, utf8.RuneError) // not supported by any program in any form
		case r < ' ' && r != '\n' && r != '\t' || r == 0xFFFE || r == 0xFFFF:
			b = fmt.Appendf(b, "_x%04X_", r)
		default:
			b = utf8.AppendRune(b, r) // converts invalid UTF-8 to U+FFFD
		}
	}
	return b
}

// looksEscaped reports whether a text starts like the escape of a character.
func looksEscaped(text string) bool {
	const like = "_xHHHH_"
	if len(text) < len(like) || text[1] != 'x' || text[len(like)-1] != '_' {
		return false
	}
	_, err := strconv.ParseUint(text[2:len(like)-1], 16, 16)
	return err == nil
}

// attribute returns a text escaped for an XML attribute.
func attribute(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text)) // a Builder never fails
	return out.String()
}
