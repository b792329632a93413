package value

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// The maximum lengths of RFC 5321.
const (
	maxAddress = 254
	maxLocal   = 64
	maxLabel   = 63
)

// Email returns the cell as an e-mail address, unchanged except for surrounding white space.
// CELL_EMAIL: it is not a globally deliverable address, which consists of a name, an at sign, and
// a domain of at least two labels. Quoted names, comments and addresses of hosts are rejected;
// letters of all scripts are accepted.
func (d *Decoder) Email(c sheet.Cell) ([]byte, problem.Code) {
	b, code := d.trimmedText(c)
	if code != "" {
		return nil, code
	}
	sign := bytes.IndexByte(b, '@')
	if sign < 0 || len(b) > maxAddress || !utf8.Valid(b) || !isLocalPart(b[:sign]) || !isDomain(b[sign+1:]) {
		return nil, problem.CellEmail
	}
	return b, ""
}

func isLocalPart(b []byte) bool {
	if len(b) == 0 || len(b) > maxLocal || b[0] == '.' || b[len(b)-1] == '.' || bytes.Contains(b, []byte("..")) {
		return false
	}
	for _, c := range b {
		if c < utf8.RuneSelf && !isAlphanumeric(c) && bytes.IndexByte([]byte("!#$%&'*+-/=?^_`{|}~."), c) < 0 {
			return false
		}
	}
	return isPrintable(b)
}

func isDomain(b []byte) bool {
	labels := 0
	for len(b) > 0 {
		label, rest, more := bytes.Cut(b, []byte("."))
		if !isDomainLabel(label) || more && len(rest) == 0 {
			return false
		}
		if !more && len(label) < 2 {
			return false
		}
		labels++
		b = rest
	}
	return labels >= 2
}

func isDomainLabel(b []byte) bool {
	if len(b) == 0 || len(b) > maxLabel || b[0] == '-' || b[len(b)-1] == '-' {
		return false
	}
	for _, c := range b {
		if c < utf8.RuneSelf && c != '-' && !isAlphanumeric(c) {
			return false
		}
	}
	return isPrintable(b)
}

// isPrintable reports whether all characters beyond ASCII are letters or digits.
func isPrintable(b []byte) bool {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r >= utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			return false
		}
		i += n
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
