package mapping

import (
	"slices"
	"strings"
)

// target is a Target prepared for comparison.
type target struct {
	Target
	subjects map[string]bool
	names    []name
	fits     func(string) bool // for trimmed, lower-case values; nil if anything fits
}

// name is one name of a target, prepared for comparison.
type name struct {
	rank     int // 0 for name and title, from 1 for aliases, the preferred ones first
	words    []word
	content  []int     // its words without fillers, as indexes of the vocabulary
	weights  []float64 // share of each content word in the name's length
	fillers  int
	joined   word // all content words without gaps
	primary  bool // name or title
	vague    bool // it has one content word, a generic one
	numbered bool // "X number" means the same as "X"
}

func (n *name) hasWord(text string) bool {
	return slices.ContainsFunc(n.words, func(w word) bool { return w.text == text })
}

// exactMatch is a target with a name of that rank and a certain key.
type exactMatch struct{ target, rank int }

// index finds targets by the words of a header.
type index struct {
	targets      []target
	exactMatches map[string][]exactMatch // by header key
	vocabulary   []word                  // the content words of all names
	places       map[string]int          // index in vocabulary, by word
	parser       *parser
}

func newIndex(d *Dictionary) *index {
	ix := &index{exactMatches: make(map[string][]exactMatch), places: make(map[string]int), parser: newParser(d.Concepts, d.Subjects)}
	subjects := make(map[string]bool)
	for _, s := range d.Subjects {
		for _, w := range headerWords(foldText(s)) {
			subjects[w], subjects[w+"s"] = true, true
		}
	}
	for i := range d.Targets {
		t := target{Target: d.Targets[i], subjects: subjects, fits: looksLike(&d.Targets[i])}
		for _, text := range []string{t.Name, t.Title} {
			ix.addName(&t, i, text, 0)
		}
		for rank, text := range t.Aliases {
			ix.addName(&t, i, text, rank+1)
		}
		ix.targets = append(ix.targets, t)
	}
	return ix
}

func (ix *index) addName(t *target, place int, text string, rank int) {
	for _, h := range parseHeaders(text) {
		known := slices.ContainsFunc(ix.exactMatches[h.key], func(e exactMatch) bool { return e.target == place })
		if h.key == "" || known {
			continue
		}
		ix.exactMatches[h.key] = append(ix.exactMatches[h.key], exactMatch{target: place, rank: rank})
		if len(h.words) <= maxWords {
			t.names = append(t.names, ix.newName(h.words, rank))
		}
	}
}

func (ix *index) newName(texts []string, rank int) name {
	n := name{rank: rank, primary: rank == 0}
	content, fillers := withoutFillers(texts)
	n.fillers = fillers
	n.joined = newWord(strings.Join(content, ""), true)
	for _, text := range content {
		w := ix.addWord(text)
		n.words = append(n.words, ix.vocabulary[w])
		n.content = append(n.content, w)
		n.weights = append(n.weights, float64(len(ix.vocabulary[w].runes))/float64(len(n.joined.runes)))
		n.numbered = n.numbered || numberSynonyms[text]
	}
	n.vague = len(content) == 1 && genericWords[content[0]]
	return n
}

// addWord returns the vocabulary index of a word.
func (ix *index) addWord(text string) int {
	place, ok := ix.places[text]
	if !ok {
		place = len(ix.vocabulary)
		ix.places[text] = place
		ix.vocabulary = append(ix.vocabulary, newWord(text, true))
	}
	return place
}

// withoutFillers returns the meaningful words, all of them if none is meaningful, and the
// number of dropped words.
func withoutFillers(texts []string) (content []string, dropped int) {
	for _, text := range texts {
		if !fillers[text] {
			content = append(content, text)
		}
	}
	if len(content) == 0 {
		return texts, 0
	}
	return content, len(texts) - len(content)
}

// query prepares a header for the comparison.
func (ix *index) query(h *header) *query {
	texts, dropped := withoutFillers(h.words)
	q := &query{fillers: dropped}
	for _, text := range texts {
		_, inDictionary := ix.places[text]
		w := newWord(text, inDictionary || ordinaryWords[text])
		alike := make([]float64, len(ix.vocabulary))
		for i := range ix.vocabulary {
			alike[i] = wordSimilarity(&w, &ix.vocabulary[i])
		}
		q.content, q.alike = append(q.content, w), append(q.alike, alike)
	}
	return q
}

// targetPlace returns the index of the target with that name, or -1.
func (ix *index) targetPlace(name string) int {
	for i := range ix.targets {
		if ix.targets[i].Name == name {
			return i
		}
	}
	return -1
}
