// Package country knows what countries are called in the languages that files come
// in, from the Unicode CLDR by way of golang.org/x/text.
//
// The names are put together when the first one is asked for, once: who asks for
// none pays nothing.
package country

import (
	"slices"
	"sync"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
	"golang.org/x/text/unicode/norm"
)

// languages are those of the names. A name that means different countries in two of
// them means none.
var languages = []string{"en", "de", "fr", "es", "nl", "it", "pl", "pt", "pt-PT", "af"}

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
	for _, tag := range languages {
		in := display.Regions(language.MustParse(tag))
		for numeric, region := range regions() {
			name := in.Name(region)
			if name == "" || slices.Contains(n.names[numeric], name) {
				continue
			}
			n.names[numeric] = append(n.names[numeric], name)
			key, code := fold(name), region.String()
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

// regions returns the countries by their ISO 3166-1 numeric codes.
func regions() map[int64]language.Region {
	found := make(map[int64]language.Region)
	for numeric := range 1000 {
		region, err := language.EncodeM49(numeric)
		if err == nil && region.IsCountry() && region.Canonicalize() == region && len(region.String()) == 2 {
			found[int64(numeric)] = region
		}
	}
	return found
}

// fold makes names that differ in case or composition alone the same one.
func fold(name string) string { return norm.NFC.String(cases.Fold().String(name)) }
