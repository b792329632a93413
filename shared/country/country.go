// Package country knows what countries are called in the languages that files come
// in, from the Unicode CLDR by way of golang.org/x/text. What that knows beyond it is much
// larger than a program ought to be for it: the names are in a table.
//
// The table is read when the first name is asked for, once: who asks for none pays
// nothing.
package country

import (
	_ "embed" // the table
	"strconv"
	"strings"
	"sync"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Code returns the two-letter code of the country of that name, in any of the
// languages and without regard to case; accents count. false if there is none, or
// more than one: a name that means different countries in two languages means none.
func Code(name string) (string, bool) {
	code, ok := byName().codes[fold(name)]
	return code, ok
}

// Names returns the names of the country with that ISO 3166-1 numeric code, each
// once, English first; none if there is no such country.
func Names(numeric int64) []string { return byName().names[numeric] }

// names of the countries; nothing changes them.
type names struct {
	codes map[string]string // two-letter codes by folded names
	names map[int64][]string
}

// table has a line for each country: its numeric code, its two-letter code and its names,
// with tabs between them. TestTableMatchesCLDR makes it.
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
			panic("names of countries: " + err.Error()) // the table is part of the program, and a test reads it
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

// fold makes names that differ in case or composition alone the same one.
func fold(name string) string { return norm.NFC.String(cases.Fold().String(name)) }
