package charset

import (
	"bytes"
	"unicode/utf8"
)

const (
	// window is how much of a line is kept on either side of a letter beyond ASCII.
	window = 512
	// The evidence takes every line with letters beyond ASCII up to anyLineLimit bytes, then
	// those with pairs of bytes that it lacks up to newPairLimit, and those with bytes that
	// it lacks up to newByteLimit.
	anyLineLimit = 12 << 10
	newPairLimit = 24 << 10
	newByteLimit = 32 << 10
)

// Evidence is what of a file's bytes tells its encoding: lines with bytes beyond
// ASCII. It stays small however large the file is. The zero value is ready for use.
type Evidence struct {
	// Sound and Stray count the characters beyond ASCII that are UTF-8, and the bytes that
	// are not part of any.
	ValidRunes, InvalidBytes int64

	lines []byte
	pairs [1 << 16 / 8]byte // the pairs of bytes that lines has, a bit each
	bytes [256]bool
}

// Add looks at a part of the file that ends where a line does, or the file.
func (e *Evidence) Add(b []byte) {
	e.countNonASCII(b)
	for i := beyondASCII(b, 0); i < len(b); i = beyondASCII(b, i) {
		start, end := lineAround(b, i)
		e.addLine(b[start:end])
		i = end
	}
}

// countNonASCII counts what is beyond ASCII.
func (e *Evidence) countNonASCII(b []byte) {
	for i := beyondASCII(b, 0); i < len(b); i = beyondASCII(b, i) {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			e.InvalidBytes++
		} else {
			e.ValidRunes++
		}
		i += n
	}
}

// addLine keeps the line if it says something new.
func (e *Evidence) addLine(line []byte) {
	if len(e.lines) >= newByteLimit {
		return
	}
	pairs, single := false, false
	for i, c := range line {
		next := byte('\n')
		if i+1 < len(line) {
			next = line[i+1]
		}
		if c|next < utf8.RuneSelf {
			continue
		}
		at := int(c)<<8 | int(next)
		if e.pairs[at>>3]&(1<<(at&7)) == 0 {
			pairs = true
		}
		single = single || c >= utf8.RuneSelf && !e.bytes[c]
	}
	if n := len(e.lines); n >= anyLineLimit && !single && (n >= newPairLimit || !pairs) {
		return
	}
	for i := range line {
		next := byte('\n')
		if i+1 < len(line) {
			next = line[i+1]
		}
		at := int(line[i])<<8 | int(next)
		e.pairs[at>>3] |= 1 << (at & 7)
		e.bytes[line[i]] = true
	}
	e.lines = append(append(e.lines, line...), '\n')
}

// lineAround is the line that b[i] stands in, or what of it is near. It is only cut
// at bytes that are part of no other character in any encoding.
func lineAround(b []byte, i int) (start, end int) {
	const ends, apart = "\r\n", " \t,;\""
	from, to := max(0, i-window), min(len(b), i+window)
	if n := bytes.LastIndexAny(b[from:i], ends); n >= 0 {
		start = from + n + 1
	} else if start = from; from > 0 {
		start = i
		if n := bytes.IndexAny(b[from:i], apart); n >= 0 {
			start = from + n + 1
		}
	}
	if n := bytes.IndexAny(b[i:to], ends); n >= 0 {
		return start, i + n
	}
	if to < len(b) {
		if n := bytes.LastIndexAny(b[i:to], apart); n >= 0 {
			return start, i + n
		}
	}
	return start, to
}
