// Package country knows what countries are called in the languages that files come
// in, from the Unicode CLDR.
//
// The names are put together when the first one is asked for, once: who asks for
// none pays nothing.
package country

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// table has a line for each country: its ISO 3166-1 numeric code, its code of two letters,
// and its names in all languages, each once, English first. It is written by a test from
// golang.org/x/text, whose names of all languages and scripts would be a third of the
// reader that browsers load.
//
//go:embed names.txt
var table string

// Code returns the two-letter code of the country of that name, in any of the
// languages and without regard to case; accents count. false if there is none, or
// more than one.
func Code(name string) (string, bool) {
	code, ok := known().codes[fold(name)]
	return code, ok
}

// Names returns the names of the country with that ISO 3166-1 numeric code, each
// once, English first; none if there is no such country.
func Names(numeric int64) []string { return known().names[numeric] }

// names of the countries; nothing changes them.
type names struct {
	codes map[string]string // two-letter codes by folded names
	names map[int64][]string
}

var known = sync.OnceValue(func() *names {
	n := &names{codes: make(map[string]string), names: make(map[int64][]string)}
	ambiguous := make(map[string]bool)
	for line := range strings.Lines(table) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		numeric, err := strconv.ParseInt(columns[0], 10, 64)
		if err != nil {
			panic(fmt.Sprintf("names of countries: %v", err)) // a mistake in the table
		}
		code, called := columns[1], columns[2:]
		n.names[numeric] = called
		for _, name := range called {
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
