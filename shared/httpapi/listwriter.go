package httpapi

import (
	"encoding/json"
	"fmt"
)

// listWriter collects the documents of a list as long as they fit into a response.
type listWriter struct {
	remaining int  // remaining bytes, as counted by encodedBytes
	lines     bool // one document per line instead of an array
	entries   int64
	body      []byte
}

// add adds all documents of one entry, or none if they do not fit, which ends the list. The first
// entry always fits.
func (l *listWriter) add(documents ...any) (fits bool, err error) {
	var more []byte
	for _, d := range documents {
		text, err := json.Marshal(d)
		if err != nil {
			return false, fmt.Errorf("write list: %w", err)
		}
		if !l.lines && len(l.body)+len(more) > 0 {
			more = append(more, ',')
		}
		if more = append(more, text...); l.lines {
			more = append(more, '\n')
		}
	}
	cost := encodedBytes(true, more)
	if cost > l.remaining && l.entries > 0 {
		return false, nil
	}
	l.remaining -= cost
	l.body = append(l.body, more...)
	l.entries++
	return true, nil
}

func (l *listWriter) bytes() []byte {
	if l.lines {
		return l.body
	}
	return append(append([]byte{'['}, l.body...), "]\n"...)
}

func (l *listWriter) contentType() string {
	if l.lines {
		return ndjson
	}
	return "application/json"
}

// takeFitting returns the first documents of a list that fit into room bytes; possibly none.
func takeFitting[Document any](documents []Document, room int) ([]Document, error) {
	list := &listWriter{remaining: room, entries: 1}
	for i := range documents {
		if fits, err := list.add(documents[i]); err != nil || !fits {
			return documents[:i], err
		}
	}
	return documents, nil
}

// maxInlineBytes is the maximum size of a response from the function to API Gateway: 6 MB
// including headers, as a JSON string, in base64 unless it is text.
//
// https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
const maxInlineBytes = 5 << 20

// encodedBytes returns the size of p in the function's response: encoding/json escapes HTML
// characters, for example as \u003c.
func encodedBytes(text bool, p []byte) int {
	if !text {
		return len(p)*4/3 + 4
	}
	n := len(p)
	for _, c := range p {
		switch {
		case c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t':
			n++
		case c < ' ' || c == '<' || c == '>' || c == '&':
			n += 5
		}
	}
	return n
}
