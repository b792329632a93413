package workbook

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"github.com/klauspost/compress/flate"
)

// maxMemory is the maximum size in bytes of a sheet's compressed data in memory.
const maxMemory = 1 << 20

// spillBuffer holds a part of the archive, compressed as it is written.
type spillBuffer struct {
	deflate *flate.Writer
	memory  bytes.Buffer
	file    *os.File // nil while memory suffices
	crc     uint32
	size    int64
	packed  int64
}

// compressedWriter receives the compressed data.
type compressedWriter struct{ *spillBuffer }

// Write implements io.Writer for the text of the part.
func (b *spillBuffer) Write(text []byte) (int, error) {
	if b.deflate == nil {
		var err error
		if b.deflate, err = flate.NewWriter(compressedWriter{b}, flate.DefaultCompression); err != nil {
			return 0, fmt.Errorf("compress: %w", err)
		}
	}
	b.crc, b.size = crc32.Update(b.crc, crc32.IEEETable, text), b.size+int64(len(text))
	return b.deflate.Write(text)
}

// Write implements io.Writer.
func (p compressedWriter) Write(b []byte) (int, error) {
	p.packed += int64(len(b))
	if p.file == nil {
		if p.memory.Len()+len(b) <= maxMemory {
			return p.memory.Write(b)
		}
		if err := p.spill(); err != nil {
			return 0, err
		}
	}
	return p.file.Write(b)
}

// spill moves the data to a temporary file.
func (b *spillBuffer) spill() error {
	file, err := os.CreateTemp("", "loadbay-sheet-*")
	if err != nil {
		return fmt.Errorf("spill a sheet: %w", err)
	}
	b.file = file
	// The unlinked file is deleted when it is closed, even if the process dies.
	if err := os.Remove(file.Name()); err != nil {
		return fmt.Errorf("spill a sheet: %w", err)
	}
	_, err = b.memory.WriteTo(file)
	return err
}

// finish ends the compression and returns the compressed data.
func (b *spillBuffer) finish() (io.Reader, error) {
	if err := b.deflate.Close(); err != nil {
		return nil, err
	}
	if b.file == nil {
		return &b.memory, nil
	}
	_, err := b.file.Seek(0, io.SeekStart)
	return b.file, err
}

func (b *spillBuffer) close() error {
	if b.file == nil {
		return nil
	}
	file := b.file
	b.file = nil
	return file.Close()
}
