// Package formula prevents texts from being formulas in spreadsheet programs, by an apostrophe in
// front, and removes these apostrophes again.
package formula

import "bytes"

// separators end a cell for a program that expects another separator than the file's, because
// quotes do not protect a cell that does not begin with one for it. A comma does not occur: it is
// the separator of the files.
const separators = ";\t\r\n|"

// Guard appends text to dst. Parts of the text that a program could interpret as a formula, at its
// start or after a separator, get an apostrophe in front. Those with apostrophes before such a
// prefix get an additional one, so that Strip restores the text.
func Guard(dst, text []byte) []byte {
	for {
		if canBegin(text) {
			dst = append(dst, '\'')
		}
		end := bytes.IndexAny(text, separators) + 1
		if end == 0 {
			return append(dst, text...)
		}
		dst, text = append(dst, text[:end]...), text[end:]
	}
}

// Strip removes the apostrophes that Guard adds. People also write '+27 82 … to prevent a formula.
// The result may alias the text.
func Strip(text []byte) []byte {
	if bytes.IndexByte(text, '\'') < 0 {
		return text
	}
	var out []byte
	for {
		if len(text) > 0 && text[0] == '\'' && canBegin(text) {
			text = text[1:]
		}
		end := bytes.IndexAny(text, separators) + 1
		if end == 0 && out == nil {
			return text
		}
		if end == 0 {
			return append(out, text...)
		}
		out, text = append(out, text[:end]...), text[end:]
	}
}

// canBegin reports whether text, after any apostrophes, begins with a character with which a formula
// can begin, also in full width.
//
// https://owasp.org/www-community/attacks/CSV_Injection
func canBegin(text []byte) bool {
	rest := bytes.TrimLeft(text, "'")
	if len(rest) == 0 {
		return false
	}
	switch rest[0] {
	case '=', '+', '-', '@', '\t', '\r':
		return true
	}
	for _, wide := range []string{"＝", "＋", "－", "＠"} {
		if len(rest) >= len(wide) && string(rest[:len(wide)]) == wide {
			return true
		}
	}
	return false
}
