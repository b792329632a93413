package sheet

import (
	"fmt"
	"io"
)

// ReadRange reads exactly n bytes of the source at an offset.
func ReadRange(src Source, off, n int64) ([]byte, error) {
	b := make([]byte, n)
	if got, err := src.ReadAt(b, off); got < len(b) {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("read %d bytes at %d: %w", n, off, err)
	}
	return b, nil
}

// ReadFrom streams the source from an offset to its end. A source that ends before its size
// returns an error instead of io.EOF.
func ReadFrom(src Source, off int64) io.Reader {
	return &tailReader{io.NewSectionReader(src, off, src.Size()-off), off, src.Size()}
}

type tailReader struct {
	section *io.SectionReader
	offset  int64
	size    int64
}

func (t *tailReader) Read(p []byte) (int, error) {
	n, err := t.section.Read(p)
	t.offset += int64(n)
	if err == io.EOF && t.offset < t.size {
		err = fmt.Errorf("unexpected end at byte %d of %d", t.offset, t.size)
	} else if err != nil && err != io.EOF {
		err = fmt.Errorf("read at byte %d: %w", t.offset, err)
	}
	return n, err
}
