package main

import (
	"slices"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"github.com/loadbay/loadbay/shared/sheet/charset/internal/model"
)

// standard is a language with the national standard that orders its characters by frequency.
type standard struct {
	language string
	texts    []string // languages of the counted texts
	encoding encoding.Encoding
	levels   []level
}

// level is a part of a standard: the range of lead bytes of its characters, and their combined
// share of all text.
type level struct {
	first, last byte
	share       float64
}

var standards = []standard{
	{"zh", []string{"zh", "zh-Hant"}, simplifiedchinese.GBK, []level{{0xB0, 0xD7, 0.25}, {0xD8, 0xF7, 0.02}, {0x81, 0xA0, 0.004}}},
	{"zh-Hant", []string{"zh-Hant"}, traditionalchinese.Big5, []level{{0xA4, 0xC6, 0.25}, {0xC9, 0xF9, 0.01}}},
	{"ja", []string{"ja"}, japanese.EUCJP, []level{{0xA4, 0xA5, 0.2}, {0xB0, 0xCF, 0.15}, {0xD0, 0xF4, 0.01}}},
	{"ko", []string{"ko"}, korean.EUCKR, []level{{0xB0, 0xC8, 0.25}, {0x81, 0xA0, 0.005}, {0xCA, 0xFD, 0.005}}},
}

// counted is the combined share of the counted characters in all text.
const counted = 0.7

// characters combines the counted frequencies with those of the levels.
func (s standard) characters() model.Characters {
	share := make(map[rune]float64)
	for _, l := range s.levels {
		l.weights(s.encoding, share)
	}
	count, total := make(map[rune]float64), 0.0
	for _, name := range s.texts {
		for _, r := range cldrNames(name) + strings.Repeat(namesFor(name), 3) {
			if r >= 0x0E80 && model.IsLetter(r) {
				count[r]++
				total++
			}
		}
	}
	for r, n := range count {
		share[r] += counted * n / total
	}
	groups := make(map[byte][]rune)
	for r, p := range share {
		groups[costSteps(p)] = append(groups[costSteps(p)], r)
	}
	c := model.Characters{Language: s.language}
	for cost := range 256 {
		if g := groups[byte(cost)]; g != nil {
			slices.Sort(g)
			c.Groups = append(c.Groups, model.Group{Cost: byte(cost), Characters: string(g)})
		}
	}
	return c
}

// weights divides the level's share among its characters.
func (l level) weights(e encoding.Encoding, share map[rune]float64) {
	var found []rune
	d := e.NewDecoder()
	for lead := int(l.first); lead <= int(l.last); lead++ {
		for trail := 0x40; trail < 0xFF; trail++ {
			b, err := d.Bytes([]byte{byte(lead), byte(trail)})
			if r := []rune(string(b)); err == nil && len(r) == 1 && model.IsLetter(r[0]) {
				found = append(found, r[0])
			}
		}
	}
	for _, r := range found {
		share[r] += l.share / float64(len(found))
	}
}
