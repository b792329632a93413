package entity

import (
	"slices"
	"strings"
)

// Words are what a field takes that takes one of a few words: the values of an Enum,
// true and false of a Boolean; nil for all others.
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

// FindWord returns a word of the field as the field spells it, whatever its case.
func (f *Field) FindWord(text string) (word string, ok bool) {
	words := f.Words()
	i := slices.IndexFunc(words, func(w string) bool { return strings.EqualFold(w, strings.TrimSpace(text)) })
	if i < 0 {
		return "", false
	}
	return words[i], true
}

// WordCandidates are the words as what people choose from.
func (f *Field) WordCandidates() []Candidate {
	var all []Candidate
	for i, word := range f.Words() {
		all = append(all, Candidate{ID: int64(i) + 1, Name: word, OtherNames: f.synonymsOf(word), IsWord: true})
	}
	return all
}

// synonymsOf are those by which people know a word of an Enum.
func (f *Field) synonymsOf(word string) []string {
	var others []string
	for _, s := range f.Synonyms {
		if s.Value == word {
			others = append(others, s.Word)
		}
	}
	return others
}

// HasMappableValues reports whether people can say what values of the field stand for: an
// entity, or one of a few words.
func (f *Field) HasMappableValues() bool {
	return f.Lookup != nil || f.Kind == Enum || f.Kind == Boolean
}

// IsContextList reports whether the field holds texts out of a list that the context has: such
// a text is kept as text, and the type writes what it stands for.
func (f *Field) IsContextList() bool { return f.Lookup != nil && f.Kind == Text }
