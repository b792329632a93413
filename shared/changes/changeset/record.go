package changeset

import "strings"

// ParseRecord parses a record literal of n columns in the format of Postgres. An empty field is
// NULL. Values that need it are in quotation marks, in which quotation marks and backslashes are
// doubled. The error for an invalid literal does not contain the literal.
// https://www.postgresql.org/docs/15/rowtypes.html#ROWTYPES-IO-SYNTAX
func ParseRecord(literal string, n int) ([]*string, error) {
	if len(literal) < 2 || literal[0] != '(' || literal[len(literal)-1] != ')' {
		return nil, errCaptureFormat
	}
	rest := literal[1 : len(literal)-1]
	values := make([]*string, 0, n)
	texts := make([]string, 0, max(0, min(n, len(rest)+1-n))) // each value has at least one byte in addition to the commas
	for len(values) < n {
		value, null, after, ok := parseValue(rest)
		if !ok || len(values)+1 < n && (after == "" || after[0] != ',') || len(values)+1 == n && after != "" {
			return nil, errCaptureFormat
		}
		if null {
			values = append(values, nil)
		} else {
			texts = append(texts, value)
			values = append(values, &texts[len(texts)-1])
		}
		rest = strings.TrimPrefix(after, ",")
	}
	return values, nil
}

// parseValue returns the value at the beginning of the text, and the rest of the text.
func parseValue(text string) (value string, null bool, after string, ok bool) {
	if text == "" || text[0] != '"' {
		end := strings.IndexByte(text, ',')
		if end < 0 {
			end = len(text)
		}
		return text[:end], end == 0, text[end:], true
	}
	value, after, ok = parseQuoted(text)
	return value, false, after, ok
}

// parseQuoted returns the quoted value at the beginning of the text, and the rest of the text.
func parseQuoted(text string) (value, after string, ok bool) {
	if end := strings.IndexAny(text[1:], `"\\`) + 1; end > 0 && text[end] == '"' && (end+1 == len(text) || text[end+1] != '"') {
		return text[1:end], text[end+1:], true // the usual case: nothing is doubled
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] != '"' && text[i] != '\\':
		case i+1 < len(text) && text[i+1] == text[i]:
			i++
		case text[i] == '"':
			return b.String(), text[i+1:], true
		default:
			return "", "", false
		}
		b.WriteByte(text[i])
	}
	return "", "", false
}
