// Package valueword knows words for common values in many languages: "Homme" and "männlich" are
// "male", "bezahlt" is "paid". values.tsv is the table: a group of words with one meaning, the
// language, the word and its source (docs/mapping-sources.md). They are suggestions for a person, and
// decide nothing.
package valueword

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/loadbay/loadbay/shared/mapping"
)

//go:embed values.tsv
var table string

// groups are the words of each group, and the groups of each word by mapping.ValueKey.
type groups struct {
	words map[string][]string
	of    map[string][]string
}

var parsed = sync.OnceValue(func() *groups {
	g := &groups{words: make(map[string][]string), of: make(map[string][]string)}
	for line := range strings.Lines(table) {
		f := strings.Split(line, "\t")
		if len(f) != 4 || strings.HasPrefix(line, "#") {
			continue
		}
		g.words[f[0]] = append(g.words[f[0]], f[2])
		if key := mapping.ValueKey(f[2]); !slices.Contains(g.of[key], f[0]) {
			g.of[key] = append(g.of[key], f[0])
		}
	}
	return g
})

// AddTo adds to each candidate the words with the meaning of its name. A word that would belong to
// several candidates is added to none.
func AddTo(candidates []mapping.Candidate) {
	g := parsed()
	owners := make(map[string][]int) // places in candidates by group
	for i := range candidates {
		for _, group := range g.of[mapping.ValueKey(candidates[i].Name)] {
			owners[group] = append(owners[group], i)
		}
	}
	for group, places := range owners {
		for _, word := range g.words[group] {
			if g.belongsToOne(word, places[0], owners) {
				candidates[places[0]].Words = append(candidates[places[0]].Words, word)
			}
		}
	}
}

// belongsToOne reports whether the candidate is the only owner of all groups of the word.
func (g *groups) belongsToOne(word string, candidate int, owners map[string][]int) bool {
	for _, group := range g.of[mapping.ValueKey(word)] {
		if slices.ContainsFunc(owners[group], func(place int) bool { return place != candidate }) {
			return false
		}
	}
	return true
}
