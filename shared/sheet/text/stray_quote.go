package text

import "bytes"

// quoting defines how a scanner treats stray quotes: quotes that open a cell without enclosing
// one, as in 5,"6 inch pipe. By the rules of CSV such a cell ends at the next quote, which may be
// many rows later.
//
// A strict scanner reports the row with ROW_QUOTE, ends it at its first line end, and reads the
// lines below as rows. It takes a quote for stray if
//
//   - text follows the closing quote, and a line within the quotes has the width of a row, or the
//     closing quote is where a cell of a later line begins, so that it opens the text of another row, or
//   - the lines from the opening to the closing quote have the width of rows, or
//   - the cell is not closed, and there was a stray quote before.
//
// A cell with text after its closing quote but without such lines is ROW_QUOTE as well, but its row
// ends as usual. Otherwise, an unclosed cell is an error of the file, which may be truncated.
//
// The decision depends only on the file from the row on, and only on the part that belongs to the
// row if the quote is not stray. So it is the same for any size of blocks, and in a chunk that ends
// within the lines: a chunk ends at a row's end, so that a quote that is open there is stray.
//
// Files that were analysed before stray quotes were detected are not read strictly, because their
// chunks may have been cut already.
type quoting struct {
	strict bool
	width  int  // number of cells per row; 0 if unknown
	chunk  bool // whether the text is a chunk
}

// isStray reports whether the quote at openAt, which is not closed, is stray.
func (s *scanner) isStray() bool {
	return s.quoting.strict && (s.quoting.chunk || s.strays > 0 || s.stray)
}

// endsCell reports whether only white space is between i and the end of the cell, as far as the
// buffer shows it.
func (s *scanner) endsCell(i int) bool {
	for ; i < len(s.buf) && s.buf[i] != s.delim && s.buf[i] != s.eol; i++ {
		if !isWhiteSpace(s.buf[i]) {
			return false
		}
	}
	return true
}

// endBeforeText handles text after the quote that closes the cell at q; after is the index of the
// text. If a line that ends within the quotes is followed by a line that may be a row, or if the quote
// opens a cell of another line, it returns the end of the stray quote's row. The former is not decided
// before the text's line has been read.
func (s *scanner) endBeforeText(start, q, after int) (end int, stray, decided bool) {
	if bytes.IndexByte(s.buf[start:after], s.eol) < 0 {
		return 0, false, true
	}
	if n := bytes.LastIndexByte(s.buf[q:after-1], s.eol); n >= 0 && s.opensCell(q+n+1, after-1) {
		return s.endAtStray(start, q), true, true
	}
	last, whole := s.lineEnd(after)
	if !whole && !s.eof || last-start > maxRowBytes {
		return len(s.buf), false, false
	}
	first, rest := s.cutLine(s.buf[start:last])
	width, spaced := s.countCells(first)
	if s.quoting.width > 0 {
		width = s.quoting.width
	}
	for len(rest) > 0 {
		var line []byte
		if line, rest = s.cutLine(rest); s.mayBeRow(line, width, spaced) {
			return s.endAtStray(start, q), true, true
		}
	}
	return 0, false, true
}

// endBeforeRows returns the end of the row in buf[start:end], whose quotes are all closed, and which
// has several lines. It is
// before end if the lines within the quotes are rows: the first, the last, and at least half of the
// others. In a text, hardly ever all lines have the delimiters of a row of two and more cells.
func (s *scanner) endBeforeRows(start, end int) int {
	width := s.quoting.width
	if !s.quoting.strict || width < 2 {
		return end
	}
	first, rest := s.cutLine(s.buf[start:end])
	cells, spaced := s.countCells(first)
	if cells != width {
		return end
	}
	lines, rows, last := 0, 0, false
	for len(rest) > 0 {
		var line []byte
		line, rest = s.cutLine(rest)
		lines++
		if last = s.mayBeRow(line, width, spaced); last {
			rows++
		}
	}
	if !last || 2*(rows-1) < lines-1 {
		return end
	}
	return s.endAtStray(start, start)
}

// endAtStray ends the row at start at its first line end, if the line has the width of a row, and
// otherwise at the first line end after the stray quote at q.
func (s *scanner) endAtStray(start, q int) int {
	first, _ := s.cutLine(s.buf[start:])
	if cells, _ := s.countCells(first); cells == s.quoting.width {
		q = start
	}
	end, _ := s.lineEnd(q)
	for n := len(s.quoted); n > 0 && s.quoted[n-1].after > end-start; n-- {
		s.quoted = s.quoted[:n-1]
	}
	s.stray, s.openAt, s.quoteAt = true, -1, -1
	return end
}

// cutLine returns the first line of b without its line end, and the lines after it.
func (g *grammar) cutLine(b []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(b, []byte{g.eol})
	return bytes.TrimSuffix(line, []byte("\r")), rest
}

// mayBeRow reports whether a line has the width of a row. Unless the other rows do so as well, its
// cells do not begin with a space, as the parts of sentences.
func (g *grammar) mayBeRow(line []byte, width int, spaced bool) bool {
	cells, lineSpaced := g.countCells(line)
	return cells == width && (spaced || !lineSpaced)
}

// countCells returns the number of cells of a line, and whether any but the first begins with a
// space. Quotes that do not enclose a cell are text.
func (g *grammar) countCells(line []byte) (cells int, spaced bool) {
	for pos := 0; ; pos++ {
		if cells++; cells > 1 && pos < len(line) && line[pos] == ' ' && g.delim != ' ' {
			spaced = true
		}
		pos = g.cellEnd(line, pos)
		if pos = matchBytes(line, pos, g.delim); pos == len(line) {
			return cells, spaced
		}
	}
}

// cellEnd returns the index after the quoted cell at pos, or pos if there is none.
func (g *grammar) cellEnd(line []byte, pos int) int {
	open := pos
	for open < len(line) && line[open] == ' ' {
		open++
	}
	if !g.quotes || open == len(line) || line[open] != g.quote {
		return pos
	}
	for i := open + 1; ; i += 2 {
		if i = matchBytes(line, min(i, len(line)), g.quote); i == len(line) {
			return pos
		}
		if i+1 == len(line) || line[i+1] == g.delim {
			return i + 1
		}
		if line[i+1] != g.quote {
			return pos
		}
	}
}
