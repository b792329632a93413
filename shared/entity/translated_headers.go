package entity

import (
	_ "embed"
	"strings"
)

// sharedHeaders holds the headers of fields that several types have.
//
//go:embed headers.txt
var sharedHeaders string

// WithTranslatedHeaders returns the fields with their headers in languages other than English,
// from the type's own text and, for fields that several types have, from a shared text. A text
// has a line with the name of each field, followed by a line for each language: its code, and
// headers separated by " | ", the most common ones first.
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

// parseHeaders returns the headers of each field: the most common ones of all languages first.
func parseHeaders(text string) map[string][]string {
	byPlace := make(map[string][][]string) // index in its language's list → headers
	field := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		list, indented := strings.CutPrefix(line, "  ")
		if !indented {
			field = line
			continue
		}
		_, list, _ = strings.Cut(list, " ") // skip the language
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
