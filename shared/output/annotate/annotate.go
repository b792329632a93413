// Package annotate gives an XLSX workbook back as it was, but for one sheet: cells of it
// that are wrong have a fill of their own and a comment that says why.
//
// The parts of the workbook that do not change are copied as they are stored. Those that
// do are patched: the sheet and the comments as streams, the small ones (styles, relations,
// content types) in memory. Nothing of what a workbook holds that Loadbay does not
// understand gets lost, since it is never understood.
package annotate

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"

	"github.com/loadbay/loadbay/shared/problem"
)

// Mark is a cell that is wrong.
type Mark struct {
	Row    int64 // from 1, as the program shows it
	Column int   // from 0
	Text   string
}

// Marks calls do for each mark, in the order of rows and columns, and one for a cell. It
// is called several times.
type Marks func(do func(Mark) error) error

// Source is a stored workbook.
type Source interface {
	io.ReaderAt
	Size() int64
}

// MaxComments is the most comments that a sheet gets: programs take long to open one with
// many more. The cells behind are filled, without a comment.
const MaxComments = 20_000

// maxPart is the most bytes of a part that is patched in memory.
const maxPart = 32 << 20

// Workbook writes a workbook to out in which cells of a sheet are marked.
// UNSUPPORTED_FORMAT where its parts are not as they must be for that.
func Workbook(out io.Writer, source Source, sheetName string, marks Marks) error {
	archive, err := zip.NewReader(source, source.Size())
	if err != nil {
		return unsupportedError(err)
	}
	b, err := openWorkbook(archive, sheetName)
	if err != nil {
		return err
	}
	b.marks = marks
	if err := b.plan(); err != nil {
		return err
	}
	w := zip.NewWriter(out)
	for _, f := range archive.File {
		if err := b.copy(w, f); err != nil {
			return fmt.Errorf("part %s: %w", f.Name, err)
		}
	}
	for _, name := range b.added {
		if err := b.writePart(w, name, nil); err != nil {
			return fmt.Errorf("part %s: %w", name, err)
		}
	}
	return w.Close()
}

// copy writes a part of the workbook: as it is stored, or patched.
func (b *workbookPatch) copy(w *zip.Writer, f *zip.File) error {
	if _, patched := b.patches[canonicalName(f.Name)]; !patched {
		return w.Copy(f)
	}
	in, err := f.Open()
	if err != nil {
		return unsupportedError(err)
	}
	return errors.Join(b.writePart(w, f.Name, in), in.Close())
}

// writePart writes a part that is patched or new.
func (b *workbookPatch) writePart(w *zip.Writer, name string, in io.Reader) error {
	out, err := w.Create(name)
	if err != nil {
		return err
	}
	return b.patches[canonicalName(name)](out, in)
}

// unsupportedError is the problem of a workbook that cannot be patched.
func unsupportedError(err error) error {
	return problem.Wrap(err, problem.UnsupportedFormat, "This workbook cannot be given back with marks: its parts are not as programs write them. The failed rows are at GET …/errors.xlsx.")
}
