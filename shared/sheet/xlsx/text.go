package xlsx

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/xmlpull"
)

// appendRich appends the text of the current string item (si, is) and reads to its end: plain text
// or runs of rich text, without phonetic guides. A text of more than limit bytes is truncated to
// limit + 1.
func appendRich(dst []byte, x *xmlpull.Scanner, limit int) ([]byte, error) {
	start, depth := len(dst), x.Depth()
	if text, ok := x.SkipEnclosed("<t>", "</t>", limit); ok {
		dst = appendDecoded(dst, text)
	}
	for {
		tok, err := x.Next()
		if err != nil {
			return dst, err
		}
		if tok == xmlpull.End {
			if x.Depth() < depth {
				return dst, nil
			}
			continue
		}
		switch local := string(x.Local()); {
		case local == "t":
			text, err := x.Text(limit)
			if err != nil {
				return dst, err
			}
			if len(text) > limit { // its end is missing, so that it could become short enough
				dst = append(dst, text...)
			} else {
				dst = appendDecoded(dst, text)
			}
			dst = dst[:min(len(dst), start+limit+1)]
		case local != "r":
			if err := x.Skip(); err != nil {
				return dst, err
			}
		}
	}
}

// escapeLen is the length of _xHHHH_.
const escapeLen = 7

// appendDecoded appends text with _xHHHH_ replaced by the UTF-16 unit (ECMA-376-1, 22.9.2.19,
// ST_Xstring). Two units that form a surrogate pair are one character; an unpaired one is
// unchanged.
func appendDecoded(dst, text []byte) []byte {
	for {
		i := bytes.Index(text, []byte("_x"))
		if i < 0 {
			return append(dst, text...)
		}
		dst = append(dst, text[:i]...)
		r, n := escape(text[i:])
		if n == 0 {
			dst = append(dst, '_')
			text = text[i+1:]
			continue
		}
		dst = utf8.AppendRune(dst, r)
		text = text[i+n:]
	}
}

// escape decodes the escape at the start of b; its length is 0 if there is none.
func escape(b []byte) (rune, int) {
	r, ok := unit(b)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, escapeLen
	}
	low, ok := unit(b[escapeLen:])
	if pair := utf16.DecodeRune(r, low); ok && pair != utf8.RuneError {
		return pair, 2 * escapeLen
	}
	return 0, 0
}

func unit(b []byte) (rune, bool) {
	if len(b) < escapeLen || b[0] != '_' || b[1] != 'x' || b[escapeLen-1] != '_' {
		return 0, false
	}
	r := rune(0)
	for _, c := range b[2 : escapeLen-1] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
