package main

import (
	"fmt"
	"slices"
	"strings"
)

// Diagram is a parsed description. Lengths are pixels.
type Diagram struct {
	Width, Height int
	Groups        []Group
	Boxes         []Box
	Lines         []Line
	Keys          []Key
}

// Group is an area behind boxes, with a title at its top.
type Group struct {
	X, Y, Width, Height float64
	Title               string
	TitleX              float64
}

// Key explains the colours of a kind.
type Key struct {
	X, Y       float64
	Kind, Text string
}

// Box is a part of the service, or a person or system outside of it.
type Box struct {
	Name, Kind   string
	X, Y, Height float64
	Title        string
	Text         []string
}

// Line is an arrow between two boxes.
type Line struct {
	From, To       End
	Dashed         bool
	Bend           *float64 // position of the middle part; nil is half-way
	Label          string
	LabelX, LabelY float64
}

// End is the point where a line leaves or enters a box: Shift away from the middle of a side.
type End struct {
	Box   *Box
	Side  string
	Shift float64
}

const (
	boxWidth  = 156
	boxHeight = 62
)

// kinds are the kinds of boxes; each is drawn in its own colours.
var kinds = []string{"person", "function", "store", "queue", "service", "state"}

// Parse parses the description of a diagram. Errors contain the line.
func Parse(text string) (*Diagram, error) {
	p := &Diagram{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := p.parseLine(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	return p, nil
}

// parseLine parses one line of the description.
func (p *Diagram) parseLine(line string) error {
	parts := strings.Split(line, "|")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	what, rest, _ := strings.Cut(parts[0], " ")
	switch what {
	case "canvas":
		return scanWords(rest, &p.Width, &p.Height)
	case "group":
		return p.addGroup(rest, parts[1:])
	case "box":
		return p.addBox(rest, parts[1:])
	case "key":
		k := Key{Text: strings.Join(parts[1:], "")}
		err := scanWords(rest, &k.X, &k.Y, &k.Kind)
		p.Keys = append(p.Keys, k)
		return err
	case "line":
		return p.addLine(rest, parts[1:])
	}
	return fmt.Errorf("unknown element %q", what)
}

func (p *Diagram) addGroup(rest string, labels []string) error {
	g := Group{Title: strings.Join(labels, "")}
	if err := scanAtLeast(rest, 4, &g.X, &g.Y, &g.Width, &g.Height, &g.TitleX); err != nil {
		return err
	}
	if g.TitleX == 0 {
		g.TitleX = g.X + 16
	}
	p.Groups = append(p.Groups, g)
	return nil
}

func (p *Diagram) addBox(rest string, labels []string) error {
	b := Box{Height: boxHeight}
	if len(labels) == 0 {
		return fmt.Errorf("a box without a title")
	}
	b.Title, b.Text = labels[0], labels[1:]
	if err := scanAtLeast(rest, 4, &b.Name, &b.Kind, &b.X, &b.Y, &b.Height); err != nil {
		return err
	}
	if !slices.Contains(kinds, b.Kind) {
		return fmt.Errorf("box %s: unknown kind %q", b.Name, b.Kind)
	}
	if p.box(b.Name) != nil {
		return fmt.Errorf("box %s: duplicate", b.Name)
	}
	p.Boxes = append(p.Boxes, b)
	return nil
}

func (p *Diagram) addLine(rest string, labels []string) error {
	words := strings.Fields(rest)
	if len(words) != 3 && len(words) != 5 || words[1] != "->" && words[1] != "-->" {
		return fmt.Errorf("a line is FROM -> TO, not %q", rest)
	}
	l := Line{Dashed: words[1] == "-->"}
	var err error
	if l.From, err = p.end(words[0]); err != nil {
		return err
	}
	if l.To, err = p.end(words[2]); err != nil {
		return err
	}
	if len(words) == 5 {
		l.Bend = new(float64)
		if err := scanWords(words[4], l.Bend); err != nil {
			return err
		}
	}
	if len(labels) == 2 {
		l.Label = labels[0]
		err = scanWords(labels[1], &l.LabelX, &l.LabelY)
	}
	p.Lines = append(p.Lines, l)
	return err
}

// end parses NAME.SIDE or NAME.SIDE±SHIFT.
func (p *Diagram) end(word string) (End, error) {
	name, side, _ := strings.Cut(word, ".")
	e := End{Box: p.box(name)}
	if i := strings.IndexAny(side, "+-"); i >= 0 {
		if err := scanWords(side[i:], &e.Shift); err != nil {
			return e, err
		}
		side = side[:i]
	}
	e.Side = side
	if e.Box == nil || !slices.Contains([]string{"top", "bottom", "left", "right"}, side) {
		return e, fmt.Errorf("%q is not a side of a box above", word)
	}
	return e, nil
}

// box returns the box with that name, or nil.
func (p *Diagram) box(name string) *Box {
	i := slices.IndexFunc(p.Boxes, func(b Box) bool { return b.Name == name })
	if i < 0 {
		return nil
	}
	return &p.Boxes[i]
}

// scanAtLeast reads the words of text, at least as many as least; the others are optional.
func scanAtLeast(text string, least int, into ...any) error {
	return scanWords(text, into[:max(least, min(len(into), len(strings.Fields(text))))]...)
}

func scanWords(text string, into ...any) error {
	if n, err := fmt.Sscan(text, into...); err != nil {
		return fmt.Errorf("%q: word %d: %w", text, n+1, err)
	}
	return nil
}
