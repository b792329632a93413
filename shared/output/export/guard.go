package export

import (
	"bytes"
	"regexp"

	"github.com/loadbay/loadbay/shared/entity"
)

// formulaPrefixes are the characters with which a formula can start in spreadsheets.
//
// https://owasp.org/www-community/attacks/CSV_Injection
const formulaPrefixes = "=+-@\t\r"

// GuardFormula returns text with an apostrophe in front if a spreadsheet could interpret it
// as a formula. Text that has apostrophes before such a prefix gets an additional one, so
// that an import, which removes one from any text that GuardFormula could have produced,
// restores the exported text. Real numbers are not text and are unchanged.
func GuardFormula(dst, text []byte) []byte {
	if rest := bytes.TrimLeft(text, "'"); len(rest) > 0 && bytes.IndexByte([]byte(formulaPrefixes), rest[0]) >= 0 {
		dst = append(dst, '\'')
	}
	return append(dst, text...)
}

// number matches texts that are numbers, in which a sign starts no formula.
var number = regexp.MustCompile(`^[+-]?[0-9]+([.,][0-9]+)*$`)

// GuardFormulaText is GuardFormula for text of unknown content: numbers are unchanged.
func GuardFormulaText(text string) string {
	if number.MatchString(text) {
		return text
	}
	return string(GuardFormula(nil, []byte(text)))
}

// isFreeText reports whether values of a field are arbitrary text.
func isFreeText(f *entity.Field) bool {
	switch f.Kind {
	case entity.Integer, entity.Decimal, entity.Boolean, entity.Date, entity.Timestamp, entity.UUID:
		return false
	}
	return true
}
