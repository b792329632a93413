package mapping

import (
	"slices"
	"strings"
	"unicode"
)

// partSeparators separates the equivalent parts of a header: "Surname / Nachname", "Last name
// (Family name)".
const partSeparators = "\x00"

// alternativeSeparators replaces the separators of parts outside brackets.
var alternativeSeparators = strings.NewReplacer("/", partSeparators, "|", partSeparators)

// brackets are the pairs that enclose notes.
var brackets = map[rune]rune{'(': ')', '[': ']', '{': '}', '<': '>'}

// cutNotes removes from a folded header everything that does not name it: its number in a
// form, bracketed notes, date patterns, lists of the allowed values. Brackets and slashes
// around anything else become partSeparators. A header that consists of notes is unchanged.
func cutNotes(s string) string {
	var b strings.Builder
	for _, piece := range splitBrackets(withoutOrdinal(s)) {
		switch {
		case !piece.enclosed:
			b.WriteString(piece.text)
		case !isNote(piece.text):
			b.WriteString(partSeparators + " " + piece.text + " " + partSeparators)
		}
	}
	var kept []string
	for _, chunk := range strings.Fields(b.String()) {
		if !isValueList(chunk) && !isDatePattern(chunk) {
			kept = append(kept, replaceYesNoLists(chunk))
		}
	}
	out := alternativeSeparators.Replace(strings.Join(kept, " "))
	if !strings.ContainsFunc(out, func(r rune) bool { return classOf(r) != otherClass }) {
		return s
	}
	return out
}

type piece struct {
	text     string
	enclosed bool
}

// splitBrackets splits s into the pieces inside and outside brackets. A bracket that is never
// closed encloses the rest.
func splitBrackets(s string) []piece {
	var out []piece
	for s != "" {
		open := strings.IndexAny(s, "([{<")
		if open < 0 {
			return append(out, piece{text: s})
		}
		out = append(out, piece{text: s[:open]})
		inner, rest, _ := strings.Cut(s[open+1:], string(brackets[rune(s[open])]))
		out = append(out, piece{text: inner, enclosed: true})
		s = rest
	}
	return out
}

// withoutOrdinal removes the number of a question: "1. ", "12) ", "b) ".
func withoutOrdinal(s string) string {
	s = strings.TrimSpace(s)
	end := strings.IndexAny(s, ".):")
	if end < 1 || end > 3 || end+1 >= len(s) || s[end+1] != ' ' {
		return s
	}
	number := s[:end]
	isNumber := strings.Trim(number, "0123456789") == ""
	if isNumber || s[end] == ')' && len(number) == 1 && unicode.IsLetter(rune(number[0])) {
		return s[end+1:]
	}
	return s
}

// isNote reports whether a bracketed text is only a note about the values.
func isNote(s string) bool {
	s = strings.ToLower(strings.Trim(s, " .*:"))
	if s == "" || noteWords[s] || unitWords[s] || isValueList(s) || isDatePattern(s) {
		return true
	}
	if unit, ok := strings.CutPrefix(s, "in "); ok && unitWords[unit] {
		return true
	}
	return strings.HasSuffix(s, " digits") || strings.HasSuffix(s, " characters") ||
		slices.ContainsFunc(notePrefixes, func(start string) bool { return strings.HasPrefix(s, start) })
}

// notes are complete notes; notePrefixes are the beginnings of others.
var (
	noteWords = setOf(`required optional mandatory compulsory obligatory s es pflichtfeld pflicht obligatoire
		facultatif obligatorio opcional verplicht opsioneel text date dropdown 24h utc local iso`)
	notePrefixes = []string{"e.g", "eg ", "ex.", "ex ", "for example", "z.b", "par ex", "as per", "as on", "as in", "as shown",
		"if ", "when ", "please", "format", "max ", "min ", "must", "only ", "required", "optional", "compulsory", "mandatory",
		"see ", "comma", "leave ", "use ", "select", "choose"}
)

// units are recognised in brackets, trailingUnits also as the last word.
var (
	unitWords = setOf(`kg kgs mg g gr gram grams grammes gramm lb lbs pounds oz ounces q t ton tons tonne tonnes cm mm m km mi km/h kmh kph mph h hrs hours min mins minutes sec secs s
		seconds ms pcs pieces units usd eur euro gbp inr zar aud cad chf rs r % percent pct $ € £ ₹ mm:ss hh:mm`)
	trailingUnits = setOf("kg kgs lb lbs cm mm km kmh kph usd eur gbp inr zar aud cad chf")
)

// isValueList reports whether a text lists the possible values of the cells.
func isValueList(s string) bool { return valueLists[strings.ToLower(strings.Trim(s, " .*:?"))] }

var valueLists = setOf("m/f f/m m/w w/m m/w/d m/f/x m/f/d h/f f/h")

// replaceYesNoLists replaces lists of two values by a word: "COD (Y/N)" differs from "COD".
func replaceYesNoLists(chunk string) string {
	if yesNoLists[strings.ToLower(strings.Trim(chunk, " .*:?"))] {
		return "yesno"
	}
	return chunk
}

var yesNoLists = setOf("y/n n/y yes/no no/yes ja/nein oui/non si/no true/false t/f 0/1 1/0")

// isDatePattern reports whether a text is a date format: "dd/mm/yyyy", "YYYYMMDD",
// "TT.MM.JJJJ", "jj-mm-aaaa", "MMM d yyyy", "hh:mm:ss".
func isDatePattern(s string) bool {
	var letters, separators int
	for _, r := range strings.ToLower(s) {
		switch {
		case strings.ContainsRune("dmyjaths", r):
			letters++
		case strings.ContainsRune("/-.: ", r):
			separators++
		default:
			return false
		}
	}
	if separators >= 2 {
		return letters >= 3
	}
	return separators == 0 && letters == 8 && strings.Trim(strings.ToLower(s), "dmy") == ""
}

// setOf returns the set of the words of a text.
func setOf(text string) map[string]bool {
	set := make(map[string]bool)
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}
