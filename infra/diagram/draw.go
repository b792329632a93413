package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"strconv"
	"strings"
)

//go:embed style.css
var style string

// SVG draws the diagram. The output is deterministic.
func (p *Diagram) SVG() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="The architecture of Loadbay">`+"\n", p.Width, p.Height)
	fmt.Fprintf(&b, "<style>\n%s</style>\n", style)
	b.WriteString(`<marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path class="tip" d="M0 1 10 5 0 9z"/></marker>` + "\n")
	fmt.Fprintf(&b, `<rect class="page" width="%d" height="%d" rx="14"/>`+"\n", p.Width, p.Height)
	for _, g := range p.Groups {
		fmt.Fprintf(&b, `<rect class="group" x="%s" y="%s" width="%s" height="%s" rx="12"/>`, formatNumber(g.X), formatNumber(g.Y), formatNumber(g.Width), formatNumber(g.Height))
		fmt.Fprintf(&b, `<text class="heading" x="%s" y="%s">%s</text>`+"\n", formatNumber(g.TitleX), formatNumber(g.Y+24), html.EscapeString(g.Title))
	}
	for _, l := range p.Lines {
		l.draw(&b)
	}
	for i := range p.Boxes {
		p.Boxes[i].draw(&b)
	}
	for _, l := range p.Lines {
		if l.Label != "" {
			fmt.Fprintf(&b, `<text class="label" x="%s" y="%s">%s</text>`+"\n", formatNumber(l.LabelX), formatNumber(l.LabelY), html.EscapeString(l.Label))
		}
	}
	for _, k := range p.Keys {
		fmt.Fprintf(&b, `<g class="%s"><rect x="%s" y="%s" width="18" height="14" rx="4"/><text class="key" x="%s" y="%s">%s</text></g>`+"\n",
			k.Kind, formatNumber(k.X), formatNumber(k.Y-11), formatNumber(k.X+26), formatNumber(k.Y), html.EscapeString(k.Text))
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// draw draws a box with centred lines of text.
func (x *Box) draw(b *bytes.Buffer) {
	const title, text = 17, 14 // line heights
	fmt.Fprintf(b, `<g class="%s"><rect x="%s" y="%s" width="%d" height="%s" rx="9"/>`, x.Kind, formatNumber(x.X), formatNumber(x.Y), boxWidth, formatNumber(x.Height))
	middle := formatNumber(x.X + boxWidth/2)
	y := x.Y + (x.Height-title-text*float64(len(x.Text)))/2 + 13
	fmt.Fprintf(b, `<text class="title" x="%s" y="%s">%s</text>`, middle, formatNumber(y), html.EscapeString(x.Title))
	for i, line := range x.Text {
		if line != "" {
			fmt.Fprintf(b, `<text x="%s" y="%s">%s</text>`, middle, formatNumber(y+2+text*float64(i+1)), html.EscapeString(line))
		}
	}
	b.WriteString("</g>\n")
}

// corner is the radius of a line's bends.
const corner = 9

// draw draws a line through its points, with rounded bends.
func (l *Line) draw(b *bytes.Buffer) {
	class := "line"
	if l.Dashed {
		class = "line dashed"
	}
	way := l.points()
	d := "M" + way[0].String()
	for i := 1; i < len(way)-1; i++ {
		d += "L" + way[i].towards(way[i-1]).String() + "Q" + way[i].String() + " " + way[i].towards(way[i+1]).String()
	}
	d += "L" + way[len(way)-1].String()
	fmt.Fprintf(b, `<path class="%s" marker-end="url(#tip)" d="%s"/>`+"\n", class, d)
}

// point is a position in the diagram.
type point struct{ x, y float64 }

func (p point) String() string { return formatNumber(p.x) + " " + formatNumber(p.y) }

// towards returns the point at a corner's radius from p in the direction of q. Only one
// coordinate differs between p and q.
func (p point) towards(q point) point {
	step := func(from, to float64) float64 { return from + max(-corner, min(corner, (to-from)/2)) }
	return point{step(p.x, q.x), step(p.y, q.y)}
}

// points returns a line's points: a straight line, one bend between a vertical and a horizontal
// end, or two bends.
func (l *Line) points() []point {
	from, to := l.From.point(), l.To.point()
	switch a, b := l.From.isVertical(), l.To.isVertical(); {
	case a && !b:
		return []point{from, {from.x, to.y}, to}
	case !a && b:
		return []point{from, {to.x, from.y}, to}
	case a && from.x != to.x:
		y := l.bend((from.y + to.y) / 2)
		return []point{from, {from.x, y}, {to.x, y}, to}
	case !a && from.y != to.y:
		x := l.bend((from.x + to.x) / 2)
		return []point{from, {x, from.y}, {x, to.y}, to}
	}
	return []point{from, to}
}

func (l *Line) bend(halfWay float64) float64 {
	if l.Bend != nil {
		return *l.Bend
	}
	return halfWay
}

// isVertical reports whether a line is vertical at this end.
func (e End) isVertical() bool { return e.Side == "top" || e.Side == "bottom" }

func (e End) point() point {
	p := point{e.Box.X + boxWidth/2 + e.Shift, e.Box.Y + e.Box.Height/2 + e.Shift}
	switch e.Side {
	case "top":
		p.y = e.Box.Y
	case "bottom":
		p.y = e.Box.Y + e.Box.Height
	case "left":
		p.x = e.Box.X
	case "right":
		p.x = e.Box.X + boxWidth
	}
	return p
}

// formatNumber formats a number without superfluous digits.
func formatNumber(f float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0")
}
