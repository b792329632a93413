package entity

import (
	_ "embed"
	"strings"
)

// sharedHeaders are headers of fields that several types have.
//
//go:embed headers.txt
var sharedHeaders string

// WithTranslatedHeaders returns the fields with what files in other languages than English call
// them: from a text of the type's own, and for fields that several types have from one
// that they share. A text has a line for each field, with its name, and below it one for each
// language: its code, and headers with " | " between, the usual ones first.
func WithTranslatedHeaders(own string, fields []Field) []Field {
	for _, text := range []string{own, sharedHeaders} {
		for name, headers := range parseHeaders(text) {
			for i := range fields {
				if fields[i].Name == name && fields[i].TranslatedAliases == nil {
					fields[i].TranslatedAliases = headers
				}
			}
		}
	}
	return fields
}

// parseHeaders returns the headers of each field: first the most usual ones of all languages.
func parseHeaders(text string) map[string][]string {
	byPlace := make(map[string][][]string) // place in its language's list → headers
	field := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		list, indented := strings.CutPrefix(line, "  ")
		if !indented {
			field = line
			continue
		}
		_, list, _ = strings.Cut(list, " ") // after the language
		for place, header := range strings.Split(list, " | ") {
			for len(byPlace[field]) <= place {
				byPlace[field] = append(byPlace[field], nil)
			}
			byPlace[field][place] = append(byPlace[field][place], header)
		}
	}
	headers := make(map[string][]string, len(byPlace))
	for name, places := range byPlace {
		for _, of := range places {
			headers[name] = append(headers[name], of...)
		}
	}
	return headers
}
