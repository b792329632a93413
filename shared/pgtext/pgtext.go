// Package pgtext is the one place that says which text can be kept: UTF-8
// without NUL. Postgres takes no other, and JSON that holds half a surrogate pair
// or an escaped NUL is refused by its jsonb alone, long after a caller could have
// been told.
package pgtext

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// RuleText says to people what text must be.
const RuleText = `Text in UTF-8 without the character NUL and without half a surrogate pair: "Sheet 1".`

// ValidText reports whether a text can be kept.
func ValidText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// Sanitize is the text with U+FFFD in the place of what cannot be kept.
func Sanitize(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// ValidJSON reports whether all texts of a JSON document can be kept; if not, where
// the first of them is that cannot, as "options.sheetName", or "" where only the
// document as a whole can be blamed. A document that is no JSON is not judged
// beyond what can be read of it.
func ValidJSON(document []byte) (member string, ok bool) {
	if isPlainText(document) {
		return "", true
	}
	return invalidMember(document), false
}

// SanitizeJSON is a document that encoding/json has written, with U+FFFD in the
// place of NUL: the only character that it writes and that cannot be kept.
func SanitizeJSON(document []byte) []byte {
	if !bytes.Contains(document, []byte(`\u0000`)) {
		return document
	}
	return unicodeEscape.ReplaceAllFunc(document, func(found []byte) []byte {
		if string(found) == `\u0000` {
			return []byte(`\ufffd`)
		}
		return found
	})
}

// unicodeEscape is one escape of a JSON text, or both halves of a surrogate pair. As
// every backslash begins one, what follows two of them is never taken for one.
var unicodeEscape = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.`)

// isPlainText reports whether a document, or a part of it, is UTF-8 whose escapes
// stand for characters that can be kept.
func isPlainText(raw []byte) bool {
	if !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0 {
		return false
	}
	if !bytes.Contains(raw, []byte(`\u`)) {
		return true
	}
	return !slices.ContainsFunc(unicodeEscape.FindAll(raw, -1), func(e []byte) bool {
		return len(e) == len(`\u0000`) && (string(e) == `\u0000` || e[2]|0x20 == 'd' && e[3] >= '8')
	})
}

// nesting is an object or a list that the place is in.
type nesting struct {
	object bool
	named  bool   // the name of the member has been read
	name   string // of the member, "" in a list
}

// invalidMember names the first member of a document whose name or text cannot be kept.
func invalidMember(document []byte) string {
	d := json.NewDecoder(bytes.NewReader(document))
	var levels []nesting
	for {
		from := d.InputOffset()
		token, err := d.Token()
		if err != nil {
			return ""
		}
		if delim, ok := token.(json.Delim); ok && (delim == '{' || delim == '[') {
			levels = append(levels, nesting{object: delim == '{'})
			continue
		} else if ok {
			levels = levels[:len(levels)-1]
		} else if !isPlainText(document[from:d.InputOffset()]) {
			return memberPath(levels)
		}
		if len(levels) == 0 {
			continue
		}
		at := &levels[len(levels)-1]
		if name, text := token.(string); text && at.object && !at.named {
			at.name, at.named = name, true
		} else {
			at.name, at.named = "", false
		}
	}
}

// memberPath is the path of names that leads to the member.
func memberPath(levels []nesting) string {
	var names []string
	for _, at := range levels {
		if at.name != "" {
			names = append(names, at.name)
		}
	}
	return strings.Join(names, ".")
}
