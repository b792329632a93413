package text

import (
	"bytes"

	"github.com/loadbay/loadbay/shared/sheet"
)

// guessRows is how many rows delimiter and quote are detected from.
const guessRows = 200

// candidates are the delimiters that are distinguished, the rarest in prose first:
// of two that fit equally well, the first is meant.
const candidates = "\t;|,"

// guessDelimiter settles delimiter and quote where they were not stated.
func guessDelimiter(d *sheet.Dialect, text []byte, lim sheet.Limits) {
	if d.Delimiter == "" {
		d.Delimiter = string(rune(defaultDelimiter))
		best := 0.0
		for _, c := range []byte(candidates) {
			try := *d
			try.Delimiter = string(rune(c))
			if fit := evenness(text, &try, lim); fit > best {
				best, d.Delimiter = fit, try.Delimiter
			}
		}
	}
	if d.Quote == "" {
		d.Quote = guessQuote(text, d, lim)
	}
}

// headRows calls each for the rows of a file's beginning that are not blank. The
// last row, which may be cut, is left out unless it is the only one.
func headRows(text []byte, g grammar, lim sheet.Limits, each func(cells []sheet.Cell)) {
	split := &fields{grammar: g, limit: lim.Columns}
	s := scanBytes(text, g, 0, lim, split)
	for n := 0; n < guessRows && s.scan(); {
		if s.isBlank(s.row) || n > 0 && s.pos == len(text) && !bytes.HasSuffix(text, []byte{g.eol}) {
			continue
		}
		split.split(s.row, s.quoted)
		each(split.out)
		n++
	}
}

// evenness is the share of rows that have the most frequent number of cells above
// one.
func evenness(text []byte, d *sheet.Dialect, lim sheet.Limits) float64 {
	widths := make(map[int]int)
	total := 0
	headRows(text, grammarOf(d), lim, func(cells []sheet.Cell) {
		widths[len(cells)]++
		total++
	})
	most := 0
	for width, n := range widths {
		if width > 1 {
			most = max(most, n)
		}
	}
	return float64(most) / float64(max(total, 1))
}

// guessQuote reports whether cells are quoted with apostrophes: no cell begins with
// a double quote, as many begin with an apostrophe as end with one, and they are
// at least half as many as there are rows.
func guessQuote(text []byte, d *sheet.Dialect, lim sheet.Limits) string {
	try := *d
	try.Quote = noQuote
	rows, double, begin, end := 0, 0, 0, 0
	headRows(text, grammarOf(&try), lim, func(cells []sheet.Cell) {
		rows++
		for _, c := range cells {
			b := bytes.Trim(c.Bytes, " ")
			if len(b) < 2 {
				continue
			}
			double += count(b[0] == '"')
			begin += count(b[0] == '\'')
			end += count(b[len(b)-1] == '\'')
		}
	})
	if double == 0 && begin > 1 && begin == end && 2*begin >= rows {
		return "'"
	}
	return string(rune(defaultQuote))
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
