// Package model provides the frequencies of letters and letter pairs in the languages of
// imported files. The data is in model.bin, which package train generates:
//
//	go generate ./shared/sheet/charset/internal/model
//
// Tested by shared/sheet/charset: the encodings detected with it.
package model

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

//go:generate go run ./train model.bin

// Steps is the number of cost steps per unit of -ln of a probability.
const Steps = 12

// Foreign is the cost of a letter that does not belong to a language.
const Foreign = 16.0

// Model contains the statistics of all languages.
type Model struct {
	Pairs      []Pairs
	Characters []Characters
}

// Pairs contains the letter pair statistics of an alphabetic language.
type Pairs struct {
	Language string // CLDR code, as in "sr-Latn"
	Letters  string // all folded letters; index 0 is the edge of a word, which precedes them
	// Costs contains -ln P(second | first) in steps, at first*(1+letters) + second.
	Costs []byte

	index map[rune]int
}

// Characters contains the statistics of a language with too many characters for pair counts.
type Characters struct {
	Language string
	Groups   []Group

	costs map[rune]float64
}

// Group is a set of equally frequent characters.
type Group struct {
	Cost       byte // -ln P of each character, in steps
	Characters string
}

// BuildIndex prepares the model for lookups.
func (m *Model) BuildIndex() {
	for i := range m.Pairs {
		p := &m.Pairs[i]
		p.index = make(map[rune]int)
		for _, r := range p.Letters {
			p.index[r] = len(p.index) + 1
		}
	}
	for i := range m.Characters {
		c := &m.Characters[i]
		c.costs = make(map[rune]float64)
		for _, g := range c.Groups {
			for _, r := range g.Characters {
				c.costs[r] = float64(g.Cost) / Steps
			}
		}
	}
}

// WordCost returns the cost of a folded word: -ln of its probability.
func (p *Pairs) WordCost(word []rune) float64 {
	size, before, steps, foreign := len(p.index)+1, 0, 0, 0
	for _, r := range word {
		at := p.index[r]
		if at == 0 {
			foreign++
		} else {
			steps += int(p.Costs[before*size+at])
		}
		before = at
	}
	return float64(steps+int(p.Costs[before*size]))/Steps + Foreign*float64(foreign)
}

// Cost returns -ln of the character's probability.
func (c *Characters) Cost(r rune) float64 {
	if cost, ok := c.costs[r]; ok {
		return cost
	}
	return Foreign
}

//go:embed model.bin
var embedded []byte

// Default returns the built-in model, which is loaded once and read-only.
var Default = sync.OnceValue(func() *Model {
	m, err := Read(bytes.NewReader(embedded))
	if err != nil {
		panic(err) // the file is embedded in the program
	}
	m.BuildIndex()
	return m
})

// Read reads the output of Write.
func Read(r io.Reader) (*Model, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("read model: %w", err)
	}
	m := new(Model)
	if err := json.NewDecoder(z).Decode(m); err != nil {
		return nil, fmt.Errorf("read model: %w", err)
	}
	return m, nil
}

// Write writes the model.
func (m *Model) Write(w io.Writer) error {
	z, _ := gzip.NewWriterLevel(w, gzip.BestCompression) // the level is valid
	if err := json.NewEncoder(z).Encode(m); err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	return z.Close()
}
