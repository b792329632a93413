package charset

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/sheet/charset/internal/model"
)

// The costs of events that the models do not cover, each -ln of a probability.
const (
	costCapitalInside = 8.0  // upper case after a lower-case letter of a word
	costSignInside    = 12.0 // a sign between two letters, in addition to its own cost
	costSignBeside    = 6.0  // a misplaced sign next to a letter
	costUsual         = 7.0  // common signs
	costRare          = 13.0
	costControl       = 25.0
	plainWeight       = 0.4 // weight of ASCII words, which indicate the language and thereby the encoding
)

// token is a word of a text.
type token struct {
	folded []rune
	high   bool // whether the word contains or adjoins letters beyond ASCII
}

// reading is the evidence decoded with one encoding.
type reading struct {
	table *table
	text  string
	cost  float64 // -ln of its probability, up to a constant
}

// computeCost computes the cost of the reading.
func (r *reading) computeCost() {
	words, cost := wordsIn(r.text, r.table.script)
	r.cost = r.table.rarity + cost
	if known := loadCharacters(r.table.script); known != nil {
		r.cost += charactersCost(words, known)
	} else {
		r.cost += wordsCost(words, loadPairs(r.table.script))
	}
}

// wordsIn returns the words of the text and the cost of its signs and capitals. A piece between
// two ASCII characters that are not letters is counted once, however often it occurs, and as
// one unit: the parts into which a sign divides a word are not ASCII words.
func wordsIn(text string, s script) (words []token, cost float64) {
	seen := make(map[string]bool)
	for _, piece := range strings.FieldsFunc(text, func(r rune) bool { return r < utf8.RuneSelf && !model.IsLetter(r) }) {
		if seen[piece] {
			continue
		}
		seen[piece] = true
		high, start, before := !isASCII(piece), -1, rune(' ')
		for i, r := range piece {
			switch {
			case model.IsLetter(r):
				if start < 0 {
					start = i
				}
				if high && unicode.IsUpper(r) && unicode.IsLower(before) {
					cost += costCapitalInside
				}
			default:
				if start >= 0 {
					words = append(words, token{[]rune(strings.Map(model.Fold, piece[start:i])), high})
					start = -1
				}
				after, _ := utf8.DecodeRuneInString(piece[i+utf8.RuneLen(r):])
				cost += signCost(before, r, after, s)
			}
			before = r
		}
		if start >= 0 {
			words = append(words, token{[]rune(strings.Map(model.Fold, piece[start:])), high})
		}
	}
	return words, cost
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// signCost returns the cost of a character beyond ASCII that is not a letter, depending on its
// neighbours.
func signCost(before, r, after rune, s script) float64 {
	if unicode.IsControl(r) {
		return costControl
	}
	if characters[s] != "" && (r >= 0x3000 && r < 0x3040 || r >= 0xFF00 && r < 0xFFF0) {
		return costUsual
	}
	cost := costRare
	if strings.ContainsRune("\u00A0–—“”„‘’«»…€£°§®©™•ªº²³½¼¾±×·№\u00AD", r) {
		cost = costUsual
	}
	left, right := model.IsLetter(before), model.IsLetter(after)
	switch {
	case left && right && strings.ContainsRune("’·\u00AD", r):
	case left && right:
		cost += costSignInside
	case left && !strings.ContainsRune("”’»…®™ªº°\u00A0", r), right && !strings.ContainsRune("„“‘‚«»”©•§\u00A0", r):
		cost += costSignBeside
	}
	return cost
}

// charactersCost returns the cost of words in languages with individually counted characters.
func charactersCost(words []token, known *model.Characters) float64 {
	total, english := 0.0, loadPairs(western)[0]
	for _, w := range words {
		if !w.high {
			total += plainWeight * english.WordCost(w.folded)
			continue
		}
		for _, r := range w.folded {
			total += known.Cost(r)
		}
	}
	return total
}

// wordsCost returns the cost of words in a mixture of languages. The proportions of the
// languages are estimated from the words.
func wordsCost(words []token, languages []*model.Pairs) float64 {
	const (
		rounds = 4
		least  = 0.003 // minimum share of each language: one word in a hundred may be a foreign name
	)
	costs := make([]float64, len(words)*len(languages))
	for i, w := range words {
		for j, l := range languages {
			costs[i*len(languages)+j] = l.WordCost(w.folded)
		}
	}
	share := make([]float64, len(languages))
	for j := range share {
		share[j] = 1 / float64(len(languages))
	}
	total := 0.0
	for range rounds {
		total = 0
		next, sum := make([]float64, len(languages)), 0.0
		for i, w := range words {
			row, weight := costs[i*len(languages):(i+1)*len(languages)], 1.0
			if !w.high {
				weight = plainWeight
			}
			total += weight * mixtureCost(row, share, weight, next)
			sum += weight
		}
		for j := range share {
			share[j] = least + (1-least*float64(len(languages)))*(next[j]+1/float64(len(languages)))/(sum+1)
		}
	}
	return total
}

// mixtureCost returns the cost of a word in the mixture. It adds the word's weight to next, divided
// among its possible languages.
func mixtureCost(row, share []float64, weight float64, next []float64) float64 {
	low := row[0]
	for _, c := range row {
		low = min(low, c)
	}
	p := 0.0
	for j, c := range row {
		p += share[j] * math.Exp(low-c)
	}
	for j, c := range row {
		next[j] += weight * share[j] * math.Exp(low-c) / p
	}
	return low - math.Log(p)
}
