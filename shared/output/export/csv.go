package export

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/loadbay/loadbay/shared/entity"
)

// csvWriter writes RFC 4180: commas, quotes where needed, CRLF.
type csvWriter struct {
	out    *bufio.Writer
	fields []*entity.Field
	buf    []byte
}

// buffer is the size of the write buffer in bytes.
const buffer = 64 << 10

func newCSV(w io.Writer, fields []*entity.Field) (*csvWriter, error) {
	c := &csvWriter{out: bufio.NewWriterSize(w, buffer), fields: fields}
	for i, f := range fields {
		c.beginLine(i)
		c.writeCell([]byte(f.Column))
	}
	return c, c.endLine()
}

func (c *csvWriter) beginLine(i int) {
	if i > 0 {
		_ = c.out.WriteByte(',') // a bufio.Writer returns its error at the end of the line
	}
}

func (c *csvWriter) endLine() error {
	if _, err := c.out.WriteString("\r\n"); err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	return nil
}

// writeCell writes a cell, quoted if it would otherwise be read differently.
func (c *csvWriter) writeCell(text []byte) {
	if !bytes.ContainsAny(text, ",\"\r\n;\t|") && (len(text) == 0 || text[0] != ' ' && text[len(text)-1] != ' ') {
		_, _ = c.out.Write(text)
		return
	}
	_ = c.out.WriteByte('"')
	for {
		quote := bytes.IndexByte(text, '"')
		if quote < 0 {
			break
		}
		_, _ = c.out.Write(text[:quote+1])
		_ = c.out.WriteByte('"')
		text = text[quote+1:]
	}
	_, _ = c.out.Write(text)
	_ = c.out.WriteByte('"')
}

// Row writes a line. A line that would be blank contains a quoted empty text, so that it
// remains a row.
func (c *csvWriter) Row(values [][]byte) error {
	for i, v := range values {
		c.beginLine(i)
		var err error
		if c.buf, err = cellText(c.buf[:0], c.fields[i], v); err != nil {
			return err
		}
		if len(values) == 1 && len(c.buf) == 0 {
			_, _ = c.out.WriteString(`""`)
			continue
		}
		c.writeCell(c.buf)
	}
	return c.endLine()
}

// Close flushes the buffer.
func (c *csvWriter) Close() error {
	if err := c.out.Flush(); err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	return nil
}

// Discard has nothing to release.
func (c *csvWriter) Discard() error { return nil }
