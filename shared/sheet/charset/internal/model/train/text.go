package main

import (
	_ "embed"
	"math"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/loadbay/loadbay/shared/sheet/charset/internal/model"
)

//go:embed names.txt
var names string

// namesFor returns the text for a language in names.txt.
func namesFor(name string) string {
	var text strings.Builder
	for line := range strings.Lines(names) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			text.WriteString(rest)
		}
	}
	return text.String()
}

// cldrNames returns the CLDR names of countries and languages in the language.
func cldrNames(name string) string {
	var text strings.Builder
	tag := language.MustParse(name)
	if in := display.Regions(tag); in != nil {
		for a := 'A'; a <= 'Z'; a++ {
			for b := 'A'; b <= 'Z'; b++ {
				if region, err := language.ParseRegion(string([]rune{a, b})); err == nil {
					text.WriteString(in.Name(region) + "\n")
				}
			}
		}
	}
	if in := display.Languages(tag); in != nil {
		for _, t := range display.Values.Tags() {
			text.WriteString(in.Name(t) + "\n")
		}
	}
	return text.String()
}

// wordsOf returns the distinct folded words of a text.
func wordsOf(text string) [][]rune {
	var words [][]rune
	seen := make(map[string]bool)
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !model.IsLetter(r) }) {
		folded := strings.Map(model.Fold, w)
		if !seen[folded] {
			seen[folded] = true
			words = append(words, []rune(folded))
		}
	}
	return words
}

// costSteps converts a probability into the stored cost.
func costSteps(p float64) byte {
	return byte(min(math.MaxUint8, math.Round(-math.Log(p)*model.Steps)))
}
