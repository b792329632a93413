package value

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// monthNames are the months in English, German, French, Spanish, Dutch, Italian, Polish (including
// the genitive after a day) and Portuguese, with their usual abbreviations, without accents. No
// name has different meanings in two languages.
var monthNames = [...]string{
	"january jan januar janner janvier janv enero ene januari gennaio gen styczen stycznia sty janeiro",
	"february feb februar fevrier fevr febrero februari febbraio luty lutego lut fevereiro fev",
	"march mar marz maerz mrz mars marzo maart mrt marzec marca marco",
	"april apr avril avr abril abr aprile kwiecien kwietnia kwi",
	"may mai mayo mei maggio mag maj maja maio",
	"june jun juni juin junio giugno giu czerwiec czerwca cze junho",
	"july jul juli juillet juil julio luglio lug lipiec lipca lip julho",
	"august aug aout agosto ago augustus sierpien sierpnia sie",
	"september sep sept septembre septiembre settembre set wrzesien wrzesnia wrz setembro",
	"october oct oktober okt octobre octubre ottobre ott pazdziernik pazdziernika paz outubro out",
	"november nov novembre noviembre listopad listopada lis novembro",
	"december dec dezember dez decembre diciembre dic dicembre grudzien grudnia gru dezembro", //nolint:misspell // French
}

// months maps names to months.
var months = func() map[string]int {
	byName := make(map[string]int)
	for i, names := range monthNames {
		for _, name := range strings.Fields(names) {
			byName[name] = i + 1
		}
	}
	return byName
}()

// longestMonth is the length of the longest name.
const longestMonth = len("pazdziernika")

// name parses the name of a month.
func (p *dateParser) name() int {
	var folded [longestMonth]byte
	n, length := 0, 0
	for n < len(p.rest) {
		r, size := utf8.DecodeRune(p.rest[n:])
		if !unicode.IsLetter(r) {
			break
		}
		if length == len(folded) {
			return 0
		}
		folded[length] = plainLetter(unicode.ToLower(r))
		length++
		n += size
	}
	month := months[string(folded[:length])]
	if month > 0 {
		p.rest = p.rest[n:]
	}
	return month
}

// afterName skips the separator after a name or abbreviation: "Dec. ", "Dec-".
func (p *dateParser) afterName(sep byte) bool {
	if len(p.rest) > 1 && p.rest[0] == '.' && p.rest[1] == ' ' {
		return p.skip('.') // and the space
	}
	p.skip('.')
	return p.skip(sep) || p.skip(' ')
}

// skipOf skips the word between day, month and year in Spanish and Portuguese.
func (p *dateParser) skipOf() {
	if len(p.rest) > 3 && (string(p.rest[:3]) == "de " || string(p.rest[:3]) == "DE ") {
		p.rest = p.rest[3:]
	}
}

// plainLetter returns a lower-case letter of a month's name without its accent, or 0.
func plainLetter(r rune) byte {
	switch r {
	case 'é', 'è':
		return 'e'
	case 'û':
		return 'u'
	case 'ä':
		return 'a'
	case 'ç':
		return 'c'
	case 'ń':
		return 'n'
	case 'ź':
		return 'z'
	case 'ś':
		return 's'
	}
	if r < utf8.RuneSelf {
		return byte(r)
	}
	return 0
}
