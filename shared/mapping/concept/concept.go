// Package concept knows what the words of headers mean, in many languages: "Vorname" is
// person.givenName, "Empfänger" the role receiver. words.tsv is the source, one word a line; docs/mapping-sources.md
// describes where the words come from. Only the programs that match the columns of imports link the
// data.
package concept

import (
	_ "embed"
	"strings"

	"github.com/loadbay/loadbay/shared/mapping"
)

//go:generate go run ./internal/compile words.tsv words.txt ../../../docs/concepts.md

// words has a line for each key, in ascending order: the key, and its meanings after tabs. It is
// searched as it is, so that it needs neither time at start nor memory.
//
//go:embed words.txt
var words string

// Vocabulary implements mapping.Concepts.
type Vocabulary struct{}

// Meanings returns the meanings of a key; nil if it is unknown.
func (Vocabulary) Meanings(key string) []mapping.Meaning {
	if key == "" {
		return nil
	}
	line := find(key)
	if line == "" {
		return nil
	}
	var found []mapping.Meaning
	for text := range strings.SplitSeq(line, "\t") {
		found = append(found, mapping.ParseMeaning(text))
	}
	return found
}

// find returns the text after the key in its line, or "".
func find(key string) string {
	low, high := 0, len(words) // starts of lines
	for low < high {
		start := strings.LastIndexByte(words[low:(low+high)/2], '\n') + 1 + low
		end := start + strings.IndexByte(words[start:], '\n')
		at, meanings, _ := strings.Cut(words[start:end], "\t")
		switch {
		case at == key:
			return meanings
		case at < key:
			low = end + 1
		default:
			high = start
		}
	}
	return ""
}
