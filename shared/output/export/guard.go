package export

import (
	"bytes"
	"regexp"

	"github.com/loadbay/loadbay/shared/entity"
)

// formulaPrefixes are the characters with which spreadsheets let a formula begin.
//
// https://owasp.org/www-community/attacks/CSV_Injection
const formulaPrefixes = "=+-@\t\r"

// GuardFormula returns text with an apostrophe in front if a spreadsheet could take it
// for a formula. Text that has apostrophes before such a beginning gets one more,
// so that an import, which takes one off any text that Guard could have made,
// gets exactly what was exported. Real numbers are not text and are left alone.
func GuardFormula(dst, text []byte) []byte {
	if rest := bytes.TrimLeft(text, "'"); len(rest) > 0 && bytes.IndexByte([]byte(formulaPrefixes), rest[0]) >= 0 {
		dst = append(dst, '\'')
	}
	return append(dst, text...)
}

// number matches texts that are numbers, whose sign begins no formula.
var number = regexp.MustCompile(`^[+-]?[0-9]+([.,][0-9]+)*$`)

// GuardFormulaText is Guard for text of which nothing is known: where it is a number, it
// is left alone.
func GuardFormulaText(text string) string {
	if number.MatchString(text) {
		return text
	}
	return string(GuardFormula(nil, []byte(text)))
}

// isFreeText reports whether values of a field are text that anybody could have written.
func isFreeText(f *entity.Field) bool {
	switch f.Kind {
	case entity.Integer, entity.Decimal, entity.Boolean, entity.Date, entity.Timestamp, entity.UUID:
		return false
	}
	return true
}
