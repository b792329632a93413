package charset

import "github.com/loadbay/loadbay/shared/sheet/charset/internal/model"

// script is a group of languages that share encodings.
type script uint8

const (
	notDetected script = iota // encodings that are only used when stated
	western
	central
	turkish
	baltic
	cyrillic
	greek
	hebrew
	arabic
	thai
	simplified
	traditional
	kana
	hangul
)

// alphabets are the languages that the encodings of a script were designed for. English is in
// each, because headers are often English.
var alphabets = map[script][]string{
	western:  {"en", "de", "fr", "es", "pt", "it", "nl", "ca", "gl", "da", "nb", "sv", "fi", "is", "et", "ga", "sq", "af"},
	central:  {"en", "pl", "cs", "sk", "hu", "ro", "sl", "hr", "sr-Latn", "sq", "de"},
	turkish:  {"en", "tr", "de", "fr", "es"},
	baltic:   {"en", "et", "lv", "lt", "pl", "de"},
	cyrillic: {"en", "ru", "uk", "be", "bg", "mk", "sr"},
	greek:    {"en", "el"},
	hebrew:   {"en", "he"},
	arabic:   {"en", "ar", "fa"},
	thai:     {"en", "th"},
}

// characters are the languages of scripts with thousands of characters.
var characters = map[script]string{simplified: "zh", traditional: "zh-Hant", kana: "ja", hangul: "ko"}

// loadPairs returns the models of a script's languages.
func loadPairs(s script) []*model.Pairs {
	m, out := model.Default(), make([]*model.Pairs, len(alphabets[s]))
	for i, language := range alphabets[s] {
		for j := range m.Pairs {
			if m.Pairs[j].Language == language {
				out[i] = &m.Pairs[j]
			}
		}
	}
	return out
}

// loadCharacters returns the model of a script with thousands of characters; nil for others.
func loadCharacters(s script) *model.Characters {
	m := model.Default()
	for i := range m.Characters {
		if m.Characters[i].Language == characters[s] {
			return &m.Characters[i]
		}
	}
	return nil
}
