// Package ole finds the streams of an OLE2 compound file, the container of old
// workbooks and of encrypted new ones ([MS-CFB]).
//
// The container itself is read by mscfb. This package bounds what it may
// spend, whatever the file claims, and distinguishes errors in the file, which are
// FILE_CORRUPT, from those of its source.
package ole

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/richardlehane/mscfb"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Magic is how the file begins.
const Magic = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

const (
	// maxDirectory bounds the bytes of tables and directory, which mscfb
	// multiplies in memory.
	maxDirectory = 8 << 20
	// MaxStream is the longest stream that is read: 65,536 rows of 70 numbers.
	MaxStream = 64 << 20
	// readSize is how much of a stream is asked for at a time. The effort of mscfb
	// grows with its square.
	readSize = 64 << 10
)

// File is an open compound file.
type File struct {
	src     *blockCache
	entries []*mscfb.File
}

// Open reads the directory. What is no compound file is UNSUPPORTED_FORMAT.
func Open(ctx context.Context, src sheet.Source) (*File, error) {
	f := &File{src: newBlocks(ctx, src)}
	head := make([]byte, len(Magic))
	if _, err := f.src.ReadAt(head, 0); f.src.err != nil {
		return nil, f.src.err
	} else if err != nil || string(head) != Magic {
		return nil, problem.New(problem.UnsupportedFormat, "The file is not a workbook.")
	}
	f.src.allowance = maxDirectory
	r, err := mscfb.New(f.src)
	if err != nil {
		return nil, f.sourceOrCorrupt(err)
	}
	f.src.allowance = unlimited
	f.entries = r.File
	return f, nil
}

// Has reports whether the file has a stream of that name at its top.
func (f *File) Has(name string) bool { return f.find(name) != nil }

// find returns the stream of that name at the top, in any case. Those of
// documents inside of documents have a path.
func (f *File) find(name string) *mscfb.File {
	i := slices.IndexFunc(f.entries, func(e *mscfb.File) bool {
		return len(e.Path) == 0 && strings.EqualFold(e.Name, name)
	})
	if i < 0 {
		return nil
	}
	return f.entries[i]
}

// Stream reads the stream of that name, which must exist, into memory. Its
// claimed size is only believed as far as the file goes.
func (f *File) Stream(name string) ([]byte, error) {
	e := f.find(name)
	if e.Size > MaxStream {
		return nil, problem.New(problem.FileTooLarge,
			"The workbook is too large for the old format (.xls) or for a password: more than %d MiB. Save it as .xlsx without a password and try again.", MaxStream>>20)
	}
	if e.Size > f.src.size {
		return nil, corruptError(nil)
	}
	b := make([]byte, e.Size)
	for read := 0; read < len(b); {
		n, err := io.ReadFull(e, b[read:min(read+readSize, len(b))])
		if f.src.err != nil {
			return nil, f.src.err
		}
		if read += n; err != nil {
			// What is missing is for the reader of the records to judge.
			return b[:read], nil
		}
	}
	return b, nil
}

func (f *File) sourceOrCorrupt(err error) error {
	if f.src.err != nil {
		return f.src.err
	}
	return corruptError(err)
}

func corruptError(err error) error {
	return sheet.DamagedError(err, "its container cannot be read")
}
