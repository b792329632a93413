package text

import (
	"bytes"

	"github.com/loadbay/loadbay/shared/sheet"
)

// detectRows is the number of rows from which delimiter and quote are detected.
const detectRows = 200

// delimiterCandidates are the possible delimiters, the rarest in prose first: of two that fit
// equally well, the first is chosen.
const delimiterCandidates = "\t;|,"

// wrapperQuote is a delimiter that also encloses cells, as in |a|,|b|.
const wrapperQuote = "|"

// detectDelimiter detects delimiter and quote unless they were stated.
func detectDelimiter(d *sheet.Dialect, text []byte, lim sheet.Limits) {
	if d.Delimiter == "" {
		d.Delimiter = delimiterOf(d, text, lim)
	}
	if d.Quote == "" {
		d.Quote = detectQuote(text, d, lim)
	}
}

// delimiterOf returns the candidate that fits best. If none fits, the file has one column, and the
// result is a delimiter that does not occur in it.
func delimiterOf(d *sheet.Dialect, text []byte, lim sheet.Limits) string {
	fits := make(map[string]float64)
	found, best := "", 0.0
	for _, c := range delimiterCandidates {
		try := *d
		try.Delimiter = string(c)
		if fits[try.Delimiter] = delimiterScore(text, &try, lim); fits[try.Delimiter] > best {
			found, best = try.Delimiter, fits[try.Delimiter]
		}
	}
	switch found {
	case "":
		return unusedDelimiter(text)
	case wrapperQuote:
		for _, c := range delimiterCandidates {
			try := *d
			try.Delimiter = string(c)
			if c != '|' && fits[try.Delimiter] > 0 && detectQuote(text, &try, lim) == wrapperQuote {
				return try.Delimiter
			}
		}
	}
	return found
}

// unusedDelimiter returns the first delimiter that does not occur in the text, starting with the
// usual one.
func unusedDelimiter(text []byte) string {
	for _, c := range []byte{defaultDelimiter, '\t', '|', ';'} {
		if bytes.IndexByte(text, c) < 0 {
			return string(rune(c))
		}
	}
	return string(rune(defaultDelimiter))
}

// headRows calls each for the non-blank rows at a file's beginning. The last row, which may be
// truncated, is omitted unless it is the only one.
func headRows(text []byte, g grammar, lim sheet.Limits, each func(cells []sheet.Cell)) {
	split := &fieldSplitter{grammar: g, limit: lim.Columns}
	s := scanBytes(text, g, 0, lim, split)
	s.quoting.strict = true
	for n := 0; n < detectRows && s.scan(); {
		if s.isBlank(s.row) || n > 0 && s.pos == len(text) && !bytes.HasSuffix(text, []byte{g.eol}) {
			continue
		}
		split.split(s.row, s.quoted)
		each(split.out)
		n++
	}
}

// delimiterScore returns how well the delimiter explains the rows, from 0 to 1: the share of rows
// with the most frequent number of cells above one. The score is reduced if the first row has one
// cell, as a header in a file of prose does, and if cells begin with a space, as parts of
// sentences do; in the latter case, a low score becomes 0. Neither reduction applies if all rows
// below a title have the same width.
func delimiterScore(text []byte, d *sheet.Dialect, lim sheet.Limits) float64 {
	const notInHeader, spaced, least = 0.6, 0.5, 0.35
	widths := make(map[int]int)
	total, single, cells, spaces := 0, 0, 0, 0
	headRows(text, grammarOf(d), lim, func(row []sheet.Cell) {
		if total++; len(row) == 1 && single == total-1 {
			single = total
		}
		widths[len(row)]++
		for _, c := range row[1:] {
			cells++
			spaces += countDelimiters(bytes.HasPrefix(c.Bytes, []byte(" ")))
		}
	})
	most, width := 0, 0
	for w, n := range widths {
		if w > 1 && (n > most || n == most && w > width) {
			most, width = n, w
		}
	}
	even := float64(most) / float64(max(total, 1))
	if width > 2 && most > 1 && most == total-single {
		return even
	}
	if single > 0 {
		even *= notInHeader
	}
	if cells > 0 && spaces*5 >= cells*4 {
		if even *= spaced; even < least {
			return 0
		}
	}
	return even
}

// detectQuote returns the apostrophe or the bar if it quotes cells, and the double quote
// otherwise. It quotes cells if no cell begins with a double quote, as many cells begin with it as
// end with it, and their number is at least half the number of rows. A bar must be on both sides
// of the same cells, because bars also enclose whole rows.
func detectQuote(text []byte, d *sheet.Dialect, lim sheet.Limits) string {
	for _, quote := range []byte{'\'', '|'} {
		try := *d
		try.Quote = noQuote
		rows, double, begin, end, both := 0, 0, 0, 0, 0
		headRows(text, grammarOf(&try), lim, func(cells []sheet.Cell) {
			rows++
			for _, c := range cells {
				b := bytes.Trim(c.Bytes, " ")
				if len(b) < 2 {
					continue
				}
				first, last := b[0] == quote, b[len(b)-1] == quote
				double += countDelimiters(b[0] == '"')
				begin += countDelimiters(first)
				end += countDelimiters(last)
				both += countDelimiters(first && last)
			}
		})
		if double == 0 && begin > 1 && begin == end && 2*begin >= rows && (quote == '\'' || 2*both >= begin) {
			return string(rune(quote))
		}
	}
	return string(rune(defaultQuote))
}

func countDelimiters(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
