package httpapi

import (
	"encoding/json"
	"fmt"
)

// listWriter collects the documents of a list while they fit into an answer.
type listWriter struct {
	remaining int  // bytes that are left, as encodedBytes counts them
	lines     bool // one document a line, and no array
	entries   int64
	body      []byte
}

// add adds the documents of one entry, or none of them where they do not fit: the list
// is at its end then. The first entry always fits.
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

// takeFitting are the first documents of a list that fit into so many bytes, which there
// may be none of.
func takeFitting[Document any](documents []Document, room int) ([]Document, error) {
	list := &listWriter{remaining: room, entries: 1}
	for i := range documents {
		if fits, err := list.add(documents[i]); err != nil || !fits {
			return documents[:i], err
		}
	}
	return documents, nil
}

// maxInlineBytes is the most bytes of a response as the function gives it to API
// Gateway: 6 MB with its headers, as a string of JSON, in base64 unless it is text.
//
// https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
const maxInlineBytes = 5 << 20

// encodedBytes is how many bytes p takes in the function's response: encoding/json
// writes what HTML could misread as \u003c.
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
