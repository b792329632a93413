package changeset

import "strings"

// ParseRecord reads a record literal of n columns, as Postgres writes it. No value at all is NULL; a value stands
// in quotation marks where it has to, in which these and backslashes are doubled.
// A literal that is none is an error which shows nothing of it.
// https://www.postgresql.org/docs/15/rowtypes.html#ROWTYPES-IO-SYNTAX
func ParseRecord(literal string, n int) ([]*string, error) {
	if len(literal) < 2 || literal[0] != '(' || literal[len(literal)-1] != ')' {
		return nil, errNoCapture
	}
	rest := literal[1 : len(literal)-1]
	values := make([]*string, 0, n)
	for len(values) < n {
		value, after, ok := nextValue(rest)
		if !ok || len(values)+1 < n && (after == "" || after[0] != ',') || len(values)+1 == n && after != "" {
			return nil, errNoCapture
		}
		values = append(values, value)
		rest = strings.TrimPrefix(after, ",")
	}
	return values, nil
}

// nextValue returns the value that the text begins with, and what follows it.
func nextValue(text string) (value *string, after string, ok bool) {
	if text == "" || text[0] != '"' {
		end := strings.IndexByte(text, ',')
		if end < 0 {
			end = len(text)
		}
		if end == 0 {
			return nil, text, true
		}
		plain := text[:end]
		return &plain, text[end:], true
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] != '"' && text[i] != '\\':
		case i+1 < len(text) && text[i+1] == text[i]:
			i++
		case text[i] == '"':
			quoted := b.String()
			return &quoted, text[i+1:], true
		default:
			return nil, "", false
		}
		b.WriteByte(text[i])
	}
	return nil, "", false
}
