// Package country maps the names of countries, in the languages in which files are written, to
// their codes. The names come from the Unicode CLDR through golang.org/x/text. They are copied
// into a table, because the rest of that module would make the program much larger.
//
// The table is parsed once, when the first name is looked up.
package country

import (
	_ "embed" // the table
	"strconv"
	"strings"
	"sync"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Code returns the two-letter code of the country with the name, in any of the languages.
// Case is ignored, accents are significant. It returns false if there is no such country or
// more than one: a name that means different countries in two languages is ambiguous.
func Code(name string) (string, bool) {
	code, ok := byName().codes[fold(name)]
	return code, ok
}

// Names returns the names of the country with the ISO 3166-1 numeric code, each once, English
// first; none if the code is unknown.
func Names(numeric int64) []string { return byName().names[numeric] }

// names of the countries; read-only after parsing.
type names struct {
	codes map[string]string // two-letter codes by folded name
	names map[int64][]string
}

// table has a line for each country: its numeric code, its two-letter code and its names,
// separated by tabs. TestTableMatchesCLDR generates it.
//
//go:embed names.txt
var table string

var byName = sync.OnceValue(func() *names {
	n := &names{codes: make(map[string]string), names: make(map[int64][]string)}
	ambiguous := make(map[string]bool)
	for line := range strings.Lines(table) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		numeric, err := strconv.ParseInt(parts[0], 10, 64)
		if err != nil {
			panic("names of countries: " + err.Error()) // the table is embedded, and a test parses it
		}
		code := parts[1]
		for _, name := range parts[2:] {
			n.names[numeric] = append(n.names[numeric], name)
			key := fold(name)
			if other, taken := n.codes[key]; taken && other != code {
				ambiguous[key] = true
			}
			n.codes[key] = code
		}
	}
	for key := range ambiguous {
		delete(n.codes, key)
	}
	return n
})

// fold returns the same text for names that differ only in case or composition.
func fold(name string) string { return norm.NFC.String(cases.Fold().String(name)) }
