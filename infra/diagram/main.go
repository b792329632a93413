// Command diagram draws the architecture diagram docs/architecture.svg from
// docs/architecture.txt, which documents its format. With -check it only reports whether the
// drawing is up to date.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	text := flag.String("text", "docs/architecture.txt", "the description of the diagram")
	drawing := flag.String("svg", "docs/architecture.svg", "the drawing")
	check := flag.Bool("check", false, "fail if the drawing is not up to date, without writing")
	flag.Parse()
	if err := run(*text, *drawing, *check); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

func run(text, drawing string, check bool) error {
	source, err := os.ReadFile(text)
	if err != nil {
		return fmt.Errorf("read the text: %w", err)
	}
	p, err := Parse(string(source))
	if err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	drawn := p.SVG()
	if !check {
		return os.WriteFile(drawing, drawn, 0o644)
	}
	if is, err := os.ReadFile(drawing); err != nil {
		return fmt.Errorf("read the drawing: %w", err)
	} else if !bytes.Equal(is, drawn) {
		return errors.New(drawing + " is not up to date: run `make picture`")
	}
	return nil
}
