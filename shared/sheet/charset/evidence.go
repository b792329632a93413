package charset

import (
	"bytes"
	"unicode/utf8"
)

const (
	// window is the length of the context that is kept on each side of a letter beyond ASCII.
	window = 512
	// The evidence includes every line with letters beyond ASCII up to anyLineLimit bytes, then
	// lines with new byte pairs up to newPairLimit, and lines with new bytes up to newByteLimit.
	anyLineLimit = 12 << 10
	newPairLimit = 24 << 10
	newByteLimit = 32 << 10
)

// Evidence collects the lines of a file with bytes beyond ASCII, from which its encoding is
// detected. Its size is limited for files of any size. The zero value is ready for use.
type Evidence struct {
	// ValidRunes counts the valid UTF-8 characters beyond ASCII, InvalidBytes the bytes that are
	// not part of any.
	ValidRunes, InvalidBytes int64

	lines []byte
	pairs [1 << 16 / 8]byte // bitmap of the byte pairs in lines
	bytes [256]bool
}

// Add adds a part of the file that ends at a line end or at the end of the file.
func (e *Evidence) Add(b []byte) {
	e.countNonASCII(b)
	for i := beyondASCII(b, 0); i < len(b); i = beyondASCII(b, i) {
		start, end := lineAround(b, i)
		e.addLine(b[start:end])
		i = end
	}
}

// countNonASCII counts the characters and invalid bytes beyond ASCII.
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

// addLine adds the line if it contains something new.
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

// lineAround returns the bounds of the line that contains b[i], limited to its surroundings. A
// line is only cut at bytes that are not part of another character in any encoding.
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
