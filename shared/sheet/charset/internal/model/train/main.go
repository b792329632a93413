// Train generates the data of package model from the CLDR names of countries and languages in
// golang.org/x/text, and from names.txt: names of people and places, and words of spreadsheets.
//
//	go run ./shared/sheet/charset/internal/model/train model.bin
package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/loadbay/loadbay/shared/sheet/charset/internal/model"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: train FILE")
	}
	var b bytes.Buffer
	if err := countAll().Write(&b); err != nil {
		return err
	}
	return os.WriteFile(args[0], b.Bytes(), 0o644)
}

// countAll counts all languages.
func countAll() *model.Model {
	m := new(model.Model)
	for _, l := range alphabets {
		m.Pairs = append(m.Pairs, l.pairs())
	}
	for _, s := range standards {
		m.Characters = append(m.Characters, s.characters())
	}
	return m
}
