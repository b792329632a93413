package export

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/loadbay/loadbay/shared/entity"
)

// ndjsonWriter writes a JSON object per line.
type ndjsonWriter struct {
	out    *bufio.Writer
	fields []*entity.Field
	keys   [][]byte // `{"id":`, `,"name":`
	buf    []byte
}

func newNDJSON(w io.Writer, fields []*entity.Field) (*ndjsonWriter, error) {
	n := &ndjsonWriter{out: bufio.NewWriterSize(w, buffer), fields: fields}
	for i, f := range fields {
		before := byte(',')
		if i == 0 {
			before = '{'
		}
		key, err := quote([]byte{before}, []byte(f.Column))
		if err != nil {
			return nil, err
		}
		n.keys = append(n.keys, append(key, ':'))
	}
	return n, nil
}

// Row writes an object. Numbers, booleans and lists have their JSON form.
func (n *ndjsonWriter) Row(values [][]byte) (err error) {
	n.buf = n.buf[:0]
	for i, v := range values {
		n.buf = append(n.buf, n.keys[i]...)
		switch kind := n.fields[i].Kind; {
		case v == nil:
			n.buf = append(n.buf, "null"...)
		case kind == entity.Integer || kind == entity.Decimal || kind == entity.Boolean || kind == entity.TextList:
			n.buf = append(n.buf, v...)
		case kind == entity.Timestamp:
			n.buf, err = quote(n.buf, trimTimestamp(v))
		default:
			n.buf, err = quote(n.buf, v)
		}
		if err != nil {
			return err
		}
	}
	n.buf = append(n.buf, '}', '\n')
	if _, err := n.out.Write(n.buf); err != nil {
		return fmt.Errorf("write ndjson: %w", err)
	}
	return nil
}

// quote appends a text as a JSON string.
func quote(dst, text []byte) ([]byte, error) {
	for _, c := range text {
		if c < ' ' || c == '"' || c == '\\' {
			quoted, err := json.Marshal(string(text))
			if err != nil {
				return nil, fmt.Errorf("write ndjson: %w", err)
			}
			return append(dst, quoted...), nil
		}
	}
	dst = append(dst, '"')
	dst = append(dst, text...)
	return append(dst, '"'), nil
}

// Close flushes the buffer.
func (n *ndjsonWriter) Close() error {
	if err := n.out.Flush(); err != nil {
		return fmt.Errorf("write ndjson: %w", err)
	}
	return nil
}

// Discard has nothing to release.
func (n *ndjsonWriter) Discard() error { return nil }
