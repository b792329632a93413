// Package pgtext defines which texts can be stored: UTF-8 without NUL. Postgres accepts no
// others, and JSON that contains half a surrogate pair or an escaped NUL is rejected only by
// jsonb, when it is too late to notify the caller.
package pgtext

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// RuleText describes valid text for people.
const RuleText = `Text in UTF-8 without NUL characters and unpaired surrogates: "Sheet 1".`

// ValidText reports whether a text can be stored.
func ValidText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// Sanitize replaces characters that cannot be stored by U+FFFD.
func Sanitize(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// ValidJSON reports whether all texts of a JSON document can be stored; if not, it returns
// the path of the first invalid one, such as "options.sheetName", or "" if it cannot be
// located. A document that is not valid JSON is checked only as far as it can be parsed.
func ValidJSON(document []byte) (member string, ok bool) {
	if isPlainText(document) {
		return "", true
	}
	return invalidMember(document), false
}

// SanitizeJSON replaces NUL in a document written by encoding/json by U+FFFD: it is the only
// character that encoding/json writes and that cannot be stored.
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

// unicodeEscape matches one escape of a JSON text, or both halves of a surrogate pair. As
// every backslash starts an escape, text after two of them is never mistaken for one.
var unicodeEscape = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.`)

// isPlainText reports whether a document, or a part of it, is UTF-8 and all its escapes
// represent characters that can be stored.
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

// nesting is an object or a list that encloses the current position.
type nesting struct {
	object bool
	named  bool   // the member's name has been read
	name   string // name of the member, "" in a list
}

// invalidMember returns the path of the first member with a name or text that cannot be
// stored.
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

// memberPath returns the path of the current member.
func memberPath(levels []nesting) string {
	var names []string
	for _, at := range levels {
		if at.name != "" {
			names = append(names, at.name)
		}
	}
	return strings.Join(names, ".")
}
