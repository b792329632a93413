package main

import (
	"fmt"
	"io"
	"regexp"
	"text/tabwriter"
)

// word is a group of words of which the frequency in Go comments is measured.
type word struct {
	name    string
	pattern *regexp.Regexp
	bound   float64    // maximum per 10,000 words; 0: no limit
	anchors [4]float64 // frequencies in river, pgstream, caddy and hatchet, measured in November 2026
}

var words = []word{
	{"say, says, said", regexp.MustCompile(`(?i)\b(say|says|said)\b`), 3, [4]float64{0.4, 0.5, 0.4, 0.2}},
	{"stand, stands", regexp.MustCompile(`(?i)\bstands?\b`), 2, [4]float64{0, 0.2, 0, 1.6}},
	{"whoever, whatever, whom, whose", regexp.MustCompile(`(?i)\b(whoever|whatever|whom|whose)\b`), 5, [4]float64{1.1, 11.1, 1.8, 3.2}},
	{"retry", regexp.MustCompile(`(?i)\bretr(y|ies|ied|ying)\b`), 0, [4]float64{16.8, 9.4, 7.6, 18.4}},
	{"default", regexp.MustCompile(`(?i)\bdefaults?\b`), 0, [4]float64{30.0, 29.4, 35.1, 18.5}},
}

var anyWord = regexp.MustCompile(`[A-Za-z][A-Za-z'’-]*`)

// count returns the frequency of each word group per 10,000 words of Go comments.
func count(texts []text) []float64 {
	total := 0
	found := make([]float64, len(words))
	for _, t := range texts {
		if t.kind != goComment {
			continue
		}
		total += len(anyWord.FindAllString(t.text, -1))
		for i, w := range words {
			found[i] += float64(len(w.pattern.FindAllString(t.text, -1)))
		}
	}
	for i := range found {
		found[i] *= 10_000 / float64(max(total, 1))
	}
	return found
}

// printFrequencies prints a row for each word group and reports whether one exceeds its
// bound.
func printFrequencies(to io.Writer, found []float64) bool {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "per 10,000 words of Go comments\tLoadbay\tbound\triver\tpgstream\tcaddy\thatchet\t")
	exceeded := false
	for i, w := range words {
		bound := "none"
		if w.bound > 0 {
			bound = fmt.Sprintf("%.1f", w.bound)
			exceeded = exceeded || found[i] > w.bound
		}
		fmt.Fprintf(table, "%s\t%.1f\t%s\t%.1f\t%.1f\t%.1f\t%.1f\t\n", w.name, found[i], bound,
			w.anchors[0], w.anchors[1], w.anchors[2], w.anchors[3])
	}
	_ = table.Flush()
	return exceeded
}
