package entity

import (
	"slices"
	"strings"
)

// Words returns the accepted words of a field: the values of an Enum, true and false of a
// Boolean; nil for all others.
func (f *Field) Words() []string {
	switch f.Kind {
	case Enum:
		return f.Enum
	case Boolean:
		return []string{"true", "false"}
	default:
		return nil
	}
}

// FindWord returns the word in the field's spelling, matched in any case.
func (f *Field) FindWord(text string) (word string, ok bool) {
	words := f.Words()
	i := slices.IndexFunc(words, func(w string) bool { return strings.EqualFold(w, strings.TrimSpace(text)) })
	if i < 0 {
		return "", false
	}
	return words[i], true
}

// WordCandidates returns the words as candidates for a decision.
func (f *Field) WordCandidates() []Candidate {
	var all []Candidate
	for i, word := range f.Words() {
		all = append(all, Candidate{ID: int64(i) + 1, Name: word, OtherNames: f.synonymsOf(word), IsWord: true})
	}
	return all
}

// synonymsOf returns the synonyms of an Enum value.
func (f *Field) synonymsOf(word string) []string {
	var others []string
	for _, s := range f.Synonyms {
		if s.Value == word {
			others = append(others, s.Word)
		}
	}
	return others
}

// HasMappableValues reports whether people can map values of the field to an entity or to one of
// the field's words.
func (f *Field) HasMappableValues() bool {
	return f.Lookup != nil || f.Kind == Enum || f.Kind == Boolean
}

// IsContextList reports whether the field contains texts from a list of the context. Such a text
// is stored as text, and the type resolves it when it writes the rows.
func (f *Field) IsContextList() bool { return f.Lookup != nil && f.Kind == Text }
