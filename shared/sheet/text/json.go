package text

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonCursor iterates over valid JSON.
type jsonCursor struct {
	b   []byte
	pos int
}

// toMember moves to the next key of an object, past its brace or a comma, and returns false at the
// closing brace.
func (c *jsonCursor) toMember() bool {
	c.skipSpace()
	if c.b[c.pos] == ',' {
		c.pos++
		c.skipSpace()
	}
	return c.b[c.pos] == '"'
}

// afterColon reads the value after the key that was just read.
func (c *jsonCursor) afterColon() []byte {
	c.skipSpace()
	c.pos++ // the colon
	c.skipSpace()
	return c.value()
}

// value reads the value at the cursor and moves past it.
func (c *jsonCursor) value() []byte {
	start := c.pos
	switch c.b[c.pos] {
	case '"':
		c.skipString()
	case '{', '[':
		c.skipNested()
	default:
		for !bytes.ContainsRune([]byte(",}] \t\r\n"), rune(c.b[c.pos])) {
			c.pos++
		}
	}
	return c.b[start:c.pos:c.pos]
}

func (c *jsonCursor) skipString() {
	for c.pos++; c.b[c.pos] != '"'; c.pos++ {
		if c.b[c.pos] == '\\' {
			c.pos++
		}
	}
	c.pos++
}

func (c *jsonCursor) skipNested() {
	for depth := 0; ; {
		switch c.b[c.pos] {
		case '"':
			c.skipString()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		c.pos++
		if depth == 0 {
			return
		}
	}
}

func (c *jsonCursor) skipSpace() {
	for c.b[c.pos] == ' ' || c.b[c.pos] == '\t' || c.b[c.pos] == '\r' || c.b[c.pos] == '\n' {
		c.pos++
	}
}

// escapes maps the character after a backslash to the escaped character.
var escapes = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// unescapeJSON appends the content of a valid JSON string to dst. It returns false for an
// unpaired surrogate, which is not a character.
func unescapeJSON(dst, b []byte) ([]byte, bool) {
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\\')
		if i < 0 {
			return append(dst, b...), true
		}
		dst = append(dst, b[:i]...)
		if b[i+1] != 'u' {
			dst = append(dst, escapes[b[i+1]])
			b = b[i+2:]
			continue
		}
		r, n := hex4(b[i+2:]), i+6
		if utf16.IsSurrogate(r) {
			if len(b) < n+6 || b[n] != '\\' || b[n+1] != 'u' {
				return dst, false
			}
			if r = utf16.DecodeRune(r, hex4(b[n+2:])); r == utf8.RuneError {
				return dst, false
			}
			n += 6
		}
		dst = utf8.AppendRune(dst, r)
		b = b[n:]
	}
	return dst, true
}

// hex4 parses four hexadecimal digits.
func hex4(b []byte) rune {
	var r rune
	for _, c := range b[:4] {
		switch {
		case c <= '9':
			r = r<<4 | rune(c-'0')
		default:
			r = r<<4 | rune(c|0x20-'a'+10)
		}
	}
	return r
}
