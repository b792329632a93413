package export

import (
	"regexp"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/sheet/formula"
)

// GuardFormula appends text to dst, guarded by apostrophes where a spreadsheet could interpret it as a
// formula. An import removes them. Real numbers are not text and are unchanged.
func GuardFormula(dst, text []byte) []byte { return formula.Guard(dst, text) }

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
