package entity

import "slices"

// Variant is a group of headers of a field that determine the value of an option: a column REGID
// contains registration numbers.
type Variant struct {
	Option  string // Option.Name
	Value   string
	Headers []string
}

// Headers returns all headers of the field except its title: the aliases, and the headers of its
// variants, for an option that is set only those of its value.
func (f *Field) Headers(chosen Settings) []string {
	all := slices.Concat(f.Aliases, []string{f.Column}, f.TranslatedAliases)
	for _, v := range f.Variants {
		if set := chosen[v.Option]; set == "" || set == v.Value {
			all = append(all, v.Headers...)
		}
	}
	return all
}

// TranslatedHeaders returns the headers of all languages for an entry of a text in the format of
// WithTranslatedHeaders.
func TranslatedHeaders(text, entry string) []string { return parseHeaders(text)[entry] }
