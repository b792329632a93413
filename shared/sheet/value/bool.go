package value

import (
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Bool returns the cell as a boolean. It accepts the words for true and false, yes and no, on and
// off, 1 and 0, and their usual first letters in English, German, French, Spanish, Italian,
// Portuguese, Dutch and Polish. Anything else is CELL_BOOLEAN.
func (d *Decoder) Bool(c sheet.Cell) (bool, problem.Code) {
	b, code := d.trimmedText(c)
	if code != "" {
		return false, code
	}
	var short [10]byte
	if len(b) > len(short) {
		return false, problem.CellBoolean
	}
	switch string(appendLowerASCII(short[:0], b)) {
	case "true", "yes", "y", "t", "1", "1.0", "on", "x", "✓",
		"ja", "j", "wahr", "oui", "o", "vrai", "sí", "sÍ", "si", "s", "verdadero", "vero", "sì", "sim", "verdadeiro", "waar", "tak", "prawda":
		return true, ""
	case "false", "no", "n", "f", "0", "0.0", "off", "✗",
		"nein", "falsch", "non", "faux", "falso", "não", "nÃo", "nao", "nee", "onwaar", "nie", "fałsz", "faŁsz", "falsz":
		return false, ""
	}
	return false, problem.CellBoolean
}

// appendLowerASCII appends b with its ASCII letters in lower case.
func appendLowerASCII(dst, b []byte) []byte {
	for _, c := range b {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		dst = append(dst, c)
	}
	return dst
}
