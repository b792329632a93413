// Package ole reads the streams of an OLE2 compound file, the container of old workbooks and of
// encrypted new ones ([MS-CFB]).
//
// mscfb reads the container itself. This package limits its use of memory and reads, regardless
// of the sizes that the file declares, and distinguishes errors of the file, which are FILE_CORRUPT, from
// errors of the source.
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

// Magic is the signature at the beginning of the file.
const Magic = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

const (
	// maxDirectory limits the size of tables and directory, which takes a multiple of it in mscfb's
	// memory.
	maxDirectory = 8 << 20
	// maxStream is the maximum size of a stream: 65,536 rows of 70 numbers.
	maxStream = 64 << 20
	// readSize is the size of one read from a stream. mscfb's effort grows quadratically with
	// it.
	readSize = 64 << 10
)

// File is an open compound file.
type File struct {
	src     *blockCache
	entries []*mscfb.File
}

// Open reads the directory. It returns UNSUPPORTED_FORMAT if the source is not a compound file.
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

// Has reports whether the file has a top-level stream with that name.
func (f *File) Has(name string) bool { return f.find(name) != nil }

// find returns the top-level stream with that name, in any case. Streams of embedded documents
// have a path.
func (f *File) find(name string) *mscfb.File {
	i := slices.IndexFunc(f.entries, func(e *mscfb.File) bool {
		return len(e.Path) == 0 && strings.EqualFold(e.Name, name)
	})
	if i < 0 {
		return nil
	}
	return f.entries[i]
}

// Stream reads the stream with that name, which must exist, into memory. Its declared size is
// limited by the size of the file.
func (f *File) Stream(name string) ([]byte, error) {
	e := f.find(name)
	if e.Size > maxStream {
		return nil, problem.New(problem.FileTooLarge,
			"The workbook is too large for the old format (.xls) or for a password: more than %d MiB. Save it as .xlsx without a password and try again.", maxStream>>20)
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
			// The reader of the records reports missing data.
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
