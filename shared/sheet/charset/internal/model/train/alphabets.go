package main

import "github.com/loadbay/loadbay/shared/sheet/charset/internal/model"

// alphabet is a language with its letters beyond a to z; if empty, the letters of its words are
// used.
type alphabet struct{ language, letters string }

var alphabets = []alphabet{
	{"en", "é"}, {"de", "äöüß"}, {"fr", "àâæçèéêëîïôœùûüÿ"}, {"es", "áéíñóúü"}, {"pt", "àáâãçéêíóôõú"}, {"it", "àèéìòù"}, {"nl", "éëïóöü"},
	{"ca", "àçèéíïòóúü"}, {"gl", "áéíñóú"}, {"da", "æøåé"}, {"nb", "æøåéèòô"}, {"sv", "åäöé"}, {"fi", "äöåšž"}, {"is", "áðéíóúýþæö"},
	{"ga", "áéíóú"}, {"sq", "çë"}, {"af", "éèêëîïôû"},
	{"pl", "ąćęłńóśźż"}, {"cs", "áčďéěíňóřšťúůýž"}, {"sk", "áäčďéíĺľňóôŕšťúýž"}, {"hu", "áéíóöőúüű"}, {"ro", "ăâîşţ"},
	{"sl", "čšž"}, {"hr", "čćđšž"}, {"sr-Latn", "čćđšž"}, {"tr", "çğıİöşüâîû"}, {"et", "äõöüšž"}, {"lv", "āčēģīķļņšūž"}, {"lt", "ąčęėįšųūž"},
	{"ru", "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"}, {"uk", "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя"}, {"be", "абвгдеёжзійклмнопрстуўфхцчшыьэюя"},
	{"bg", "абвгдежзийклмнопрстуфхцчшщъьюя"}, {"mk", "абвгдѓежзѕијклљмнњопрстќуфхцчџш"}, {"sr", "абвгдђежзијклљмнњопрстћуфхцчџш"},
	{"el", "άέήίόύώϊϋΐΰαβγδεζηθικλμνξοπρσςτυφχψω"}, {"he", "אבגדהוזחטיךכלםמןנסעףפץצקרשת"},
	{"ar", "ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىي"}, {"fa", "آئابپتثجچحخدذرزژسشصضطظعغفقکگلمنوهی"}, {"th", ""},
}

// pairs counts the letter pairs of a language.
func (a alphabet) pairs() model.Pairs {
	words := append(wordsOf(cldrNames(a.language)), wordsOf(namesFor(a.language))...)
	letters, index := []rune(nil), make(map[rune]int)
	add := func(r rune) {
		if index[r] == 0 {
			letters = append(letters, r)
			index[r] = len(letters)
		}
	}
	for _, r := range "abcdefghijklmnopqrstuvwxyz" + a.letters {
		add(model.Fold(r))
	}
	if a.letters == "" {
		for _, w := range words {
			for _, r := range w {
				add(r)
			}
		}
	}
	size := len(letters) + 1
	count := make([]float64, size*size)
	for _, w := range words {
		before := 0
		for _, r := range append(w, 0) {
			at := index[r]
			count[before*size+at]++
			before = at
		}
	}
	return model.Pairs{Language: a.language, Letters: string(letters), Costs: smoothCosts(count, size)}
}

// smoothCosts converts counts into costs. The probability of a pair that was never counted is
// derived from its letters.
func smoothCosts(count []float64, size int) []byte {
	const (
		unseen = 2.0  // pseudo-count of each letter
		weight = 12.0 // weight of single letters relative to pairs
	)
	single, total := make([]float64, size), 0.0
	for i, n := range count {
		single[i%size] += n
		total += n
	}
	costs := make([]byte, len(count))
	for first := range size {
		row, sum := count[first*size:(first+1)*size], 0.0
		for _, n := range row {
			sum += n
		}
		for second, n := range row {
			alone := (single[second] + unseen) / (total + unseen*float64(size))
			costs[first*size+second] = costSteps((n + weight*alone) / (sum + weight))
		}
	}
	return costs
}
