// Package model says how usual letters, and pairs of them, are in the languages
// that files come in. What it knows is in model.bin, which package train counts:
//
//	go generate ./shared/sheet/charset/internal/model
//
// Tested by shared/sheet/charset: what is detected with it.
package model

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/gob"
	"fmt"
	"io"
	"sync"
)

//go:generate go run ./train model.bin

// Steps is how many steps of a cost there are to one unit of -ln of a probability.
const Steps = 12

// Foreign is the cost of a letter that a language does not have.
const Foreign = 16.0

// Model is all that is known.
type Model struct {
	Pairs      []Pairs
	Characters []Characters
}

// Pairs is an alphabetic language.
type Pairs struct {
	Language string // of the CLDR, as in "sr-Latn"
	Letters  string // all it has, folded; the edge of a word stands before them, as number 0
	// Costs are -ln P(second | first) in steps, by first*(1+letters) + second.
	Costs []byte

	index map[rune]int
}

// Characters is a language whose script has too many characters for pairs of them
// to be counted.
type Characters struct {
	Language string
	Groups   []Group

	costs map[rune]float64
}

// Group is characters that are equally usual.
type Group struct {
	Cost       byte // -ln P of each, in steps
	Characters string
}

// BuildIndex makes what was counted ready to be asked.
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

// WordCost is the cost of a folded word: -ln of its probability.
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

// Cost is -ln of the character's probability.
func (c *Characters) Cost(r rune) float64 {
	if cost, ok := c.costs[r]; ok {
		return cost
	}
	return Foreign
}

//go:embed model.bin
var embedded []byte

// Default returns the model that is built in. It is read once, and nothing changes it.
var Default = sync.OnceValue(func() *Model {
	m, err := Read(bytes.NewReader(embedded))
	if err != nil {
		panic(err) // the file is part of the program
	}
	m.BuildIndex()
	return m
})

// Read reads what Write has written.
func Read(r io.Reader) (*Model, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("read model: %w", err)
	}
	m := new(Model)
	if err := gob.NewDecoder(z).Decode(m); err != nil {
		return nil, fmt.Errorf("read model: %w", err)
	}
	return m, nil
}

// Write writes the model.
func (m *Model) Write(w io.Writer) error {
	z, _ := gzip.NewWriterLevel(w, gzip.BestCompression) // a level that there is
	if err := gob.NewEncoder(z).Encode(m); err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	return z.Close()
}
