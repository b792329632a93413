package entity

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// placeholders are the texts that people enter for missing values, by language, in lower case
// and reduced to letters and digits: "N/A" is "na".
var placeholders = wordSet(
	"na nan nil none null no nothing missing unknown unavailable notavailable notapplicable noid tba tbc tbd todo pending test", // English
	"ditto idem ídem", // as in the row above: not a value of its own ("dito" is also a name)
	"keine keiner keines kein ka unbekannt ohne entfällt nichtvorhanden fehlt", // German
	"aucun aucune sans inconnu inconnue néant so sansobjet nc nonconnu",        // French
	"ninguno ninguna sin sn desconocido desconocida notiene noaplica",          // Spanish
	"geen nvt onbekend nietvantoepassing ontbreekt",                            // Dutch, Afrikaans
	"nenhum nenhuma sem desconhecido desconhecida nãotem nãoaplicável",         // Portuguese
	"nessuno nessuna senza sconosciuto sconosciuta nd",                         // Italian
)

func wordSet(languages ...string) map[string]bool {
	set := make(map[string]bool)
	for _, words := range languages {
		for _, word := range strings.Fields(words) {
			set[word] = true
		}
	}
	return set
}

// maxPlaceholder is the maximum size of a placeholder in bytes.
const maxPlaceholder = 40

// placeholderBuffer has space for the core of a placeholder, whose letters can be longer in lower
// case. It stays on the stack: every cell of an identifying field is checked.
type placeholderBuffer [2 * maxPlaceholder]byte

// IsPlaceholder reports whether a text represents a missing value: a word such as "none", or
// only punctuation, zeros or the letter x.
func IsPlaceholder(text []byte) bool {
	var buf placeholderBuffer
	return len(text) <= maxPlaceholder && isPlaceholderCore(appendPlaceholderCore(buf[:0], text))
}

// appendPlaceholderCore appends the letters and digits of a text, in lower case.
func appendPlaceholderCore(core, text []byte) []byte {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			core = utf8.AppendRune(core, unicode.ToLower(r))
		}
		text = text[size:]
	}
	return core
}

func isPlaceholderCore(core []byte) bool {
	return placeholders[string(core)] || len(bytes.Trim(core, "0")) == 0 || len(bytes.Trim(core, "x")) == 0
}

// nameWords are the placeholders that are also ordinary words or letters, and so can be the name
// of an event, a group or an article.
var nameWords = []string{"test", "pending", "unknown", "missing", "nothing", "todo", "no", "x", "xx", "so", "sans", "sin", "sem", "senza", "ohne"}

// NameWords returns the AllowedPlaceholders of a field with names.
func NameWords() []string { return slices.Clone(nameWords) }

// IsPlaceholder reports whether a text counts as no value of the field.
func (f *Field) IsPlaceholder(text []byte) bool {
	if !f.Identifying || len(text) > maxPlaceholder {
		return false
	}
	var buf placeholderBuffer
	core := appendPlaceholderCore(buf[:0], text)
	return isPlaceholderCore(core) && !slices.Contains(f.AllowedPlaceholders, string(core))
}

// RejectsLostDigits reports whether a text with HasLostDigits is an error in the field.
func (f *Field) RejectsLostDigits() bool {
	return f.Identifying || f.ExactDigits || f.Content == PhoneNumbers || f.Kind == Reference
}

// scientific matches long numbers as spreadsheet programs show them in a narrow column and save
// them as CSV: "8.50101E+12". A bare "12E45" may be a passport number.
var scientific = regexp.MustCompile(`^[0-9]{1,3}([.,][0-9]+[eE]\+?|[eE]\+)[0-9]{1,3}$`)

// HasLostDigits reports whether a text is a number in scientific notation: its original digits
// cannot be recovered.
func HasLostDigits(text []byte) bool {
	return bytes.ContainsAny(text, "eE") && scientific.Match(text)
}
