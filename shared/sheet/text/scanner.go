package text

import (
	"bytes"
	"io"
	"math"

	"github.com/loadbay/loadbay/shared/sheet"
)

const (
	// blockBytes is the size of one read: large enough for a range read from S3, small enough to be
	// scanned while it is in the processor's cache.
	blockBytes = 1 << 20
	// maxRowBytes limits the size of a row, and thereby a scanner's memory.
	maxRowBytes = 16 << 20
)

// grammar defines where rows and cells end.
type grammar struct {
	delim  byte
	quote  byte
	quotes bool // whether cells may be quoted
	eol    byte // '\n' (with an optional '\r' before it) or '\r'
}

// span is a quoted cell of a row, from its opening quote to after its closing one.
type span struct {
	open, after int
	doubled     bool // whether it contains doubled quotes
}

// measurer returns the length of the longest cell in a row.
type measurer interface {
	longest(row []byte, quoted []span) int
}

// scanner finds the rows of a text. Its memory is one block, or one row if that is longer.
type scanner struct {
	grammar
	src     io.Reader
	block   int  // bytes per read
	utf8    bool // whether the text must still be validated as UTF-8
	limit   int  // maximum bytes of a cell
	measure measurer
	quoting quoting
	strays  int64 // number of rows with stray quotes so far

	buf  []byte
	pos  int   // start of the next row
	base int64 // offset of buf[0] in src
	eof  bool
	err  error

	quoteAt int // the first quote at or after pos; unknown if it is below pos
	openAt  int // the quote that opens a cell without an end in the buffer, or -1
	checked int // buf[:checked] is valid UTF-8
	badAt   int // the first invalid byte, if any

	// The last row found.
	row    []byte // without its line end
	quoted []span // its quoted cells
	number int64
	stray  bool // whether it has a stray quote: ROW_QUOTE
	large  bool // whether a cell is too long: FIELD_TOO_LARGE
}

// newScanner reads src; the first row is number + 1.
func newScanner(src io.Reader, g grammar, number int64, lim sheet.Limits, m measurer) *scanner {
	return &scanner{
		grammar: g, src: src, block: blockBytes, number: number, limit: lim.CellBytes, measure: m,
		quoteAt: -1, openAt: -1, badAt: math.MaxInt,
	}
}

// scanBytes returns a scanner over a text in memory, which it does not modify.
func scanBytes(text []byte, g grammar, number int64, lim sheet.Limits, m measurer) *scanner {
	s := newScanner(nil, g, number, lim, m)
	s.buf, s.eof = text, true
	return s
}

// offset returns the offset in src at which the next row starts.
func (s *scanner) offset() int64 { return s.base + int64(s.pos) }

// scan finds the next row in the buffer. It returns false if more must be read first, at the end,
// and at an error.
func (s *scanner) scan() bool {
	start := s.pos
	if start == len(s.buf) || s.err != nil {
		return false
	}
	if s.quoteAt < start {
		s.quoteAt = s.indexQuote(start)
	}
	end, whole := s.lineEnd(start)
	s.quoted, s.openAt, s.stray, s.large = s.quoted[:0], -1, false, false
	if s.quoteAt <= end && s.quoteAt < len(s.buf) {
		end, whole = s.quotedEnd(start, end)
	}
	if !whole && !s.eof && len(s.buf)-start <= maxRowBytes {
		return false
	}
	if s.openAt >= 0 && s.isStray() {
		end = s.endAtStray(start, s.openAt)
	}
	if s.openAt >= 0 || end > s.badAt || end-start > s.limit {
		if s.err = s.checkRow(start, end); s.err != nil {
			return false
		}
	}
	if s.stray {
		s.strays++
	}
	s.pos = min(end+1, len(s.buf))
	if end > start && s.eol == '\n' && s.buf[end-1] == '\r' {
		end--
	}
	s.row = s.buf[start:end]
	s.number++
	return true
}

// lineEnd returns the index of the first line end at or after i, or the end of the buffer and
// false.
func (s *scanner) lineEnd(i int) (end int, found bool) {
	if n := bytes.IndexByte(s.buf[i:], s.eol); n >= 0 {
		return i + n, true
	}
	return len(s.buf), false
}

// indexQuote returns the index of the first significant quote at or after i, or the end of the
// buffer.
func (s *scanner) indexQuote(i int) int {
	if s.quotes {
		if n := bytes.IndexByte(s.buf[i:], s.quote); n >= 0 {
			return i + n
		}
	}
	return len(s.buf)
}

// quotedEnd returns the end of the row that begins at start and has a quote at quoteAt: the first
// line end outside quotes. It records the quoted cells, and moves quoteAt past the row. A row with
// a stray quote may end earlier, at firstLine at the earliest: see quoting.
func (s *scanner) quotedEnd(start, firstLine int) (end int, found bool) {
	q, opens := s.quoteAt, s.opensCell(start, s.quoteAt)
	for {
		next := q + 1
		if opens {
			var closed, doubled bool
			next, closed, doubled = s.closing(q)
			if !closed || next-start > maxRowBytes {
				s.openAt, s.quoteAt = q, -1
				return len(s.buf), false
			}
			s.quoted = append(s.quoted, span{q - start, next - start, doubled})
			if next+1 < len(s.buf) && s.buf[next] == s.delim && s.buf[next+1] == s.quote {
				q = next + 1 // the next cell is quoted too, as usual
				continue
			}
			if firstLine < len(s.buf) && (next == firstLine || next+1 == firstLine && s.buf[next] == '\r') {
				return s.endQuoted(firstLine), true // the quoted cell is the last of its line, as usual
			}
			if s.quoting.strict && !s.endsCell(next) {
				s.stray = true
				if end, stray, decided := s.endBeforeText(start, q, next); stray || !decided {
					return end, stray
				}
			}
		}
		q = nearEither(s.buf, next, s.quote, s.eol)
		if q == len(s.buf) {
			s.quoteAt = q
			if s.eof && firstLine < q {
				q = s.endBeforeRows(start, q)
			}
			return q, false
		}
		if s.buf[q] == s.eol {
			if q = s.endQuoted(q); firstLine < q {
				q = s.endBeforeRows(start, q)
			}
			return q, true
		}
		opens = s.opensCell(start, q)
	}
}

// endQuoted moves quoteAt past the row with quoted cells that ends at the line end, which it
// returns.
func (s *scanner) endQuoted(end int) int {
	s.quoteAt = -1
	if end+1 < len(s.buf) && s.buf[end+1] == s.quote {
		s.quoteAt = end + 1
	}
	return end
}

// opensCell reports whether the quote at q begins a quoted cell of the row at start.
func (s *scanner) opensCell(start, q int) bool {
	for q > start && s.buf[q-1] == ' ' && s.delim != ' ' {
		q--
	}
	return q == start || s.buf[q-1] == s.delim
}

// closing returns the index after the quote that closes the one at q. A quote at the end of the
// buffer does not close yet: it may turn out to be doubled.
func (s *scanner) closing(q int) (after int, closed, doubled bool) {
	for i := q + 1; ; i += 2 {
		i = matchBytes(s.buf, i, s.quote)
		switch {
		case i+1 < len(s.buf):
			if s.buf[i+1] != s.quote {
				return i + 1, true, doubled
			}
			doubled = true
		case i < len(s.buf) && s.eof:
			return i + 1, true, doubled
		default:
			return len(s.buf), false, doubled
		}
	}
}

// fill reads another block after the unfinished row.
func (s *scanner) fill() bool {
	if s.eof || s.err != nil {
		return false
	}
	rest := len(s.buf) - s.pos
	s.makeRoom(rest)
	n, err := io.ReadFull(s.src, s.buf[rest:cap(s.buf)])
	s.buf = s.buf[:rest+n]
	switch err {
	case nil:
	case io.EOF, io.ErrUnexpectedEOF:
		s.eof = true
	default:
		s.err = err
		return false
	}
	s.checkUTF8()
	return true
}

// makeRoom moves the unfinished row to the front of a buffer that has at least as much room after
// it.
func (s *scanner) makeRoom(rest int) {
	dst := s.buf[:0]
	if size := max(s.block, 2*rest); cap(dst) < size {
		dst = make([]byte, 0, size)
	}
	dst = dst[:rest]
	copy(dst, s.buf[s.pos:])
	s.checked -= s.pos
	if s.badAt != math.MaxInt {
		s.badAt -= s.pos
	}
	s.base += int64(s.pos)
	s.buf, s.pos, s.quoteAt = dst, 0, -1
}
