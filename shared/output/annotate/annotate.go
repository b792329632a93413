// Package annotate copies an XLSX workbook and marks the invalid cells of one sheet with a
// fill and a comment that contains the reason.
//
// Unchanged parts of the workbook are copied in their compressed form. Changed parts are
// patched: the sheet and the comments as streams, the small ones (styles, relations, content
// types) in memory. Content that Loadbay does not understand is preserved, as nothing is
// converted.
package annotate

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"

	"github.com/loadbay/loadbay/shared/problem"
)

// Mark is an invalid cell.
type Mark struct {
	Row    int64 // from 1, as shown by spreadsheet programs
	Column int   // from 0
	Text   string
}

// Marks calls do for each mark, ordered by row and column, with at most one per cell. It
// is called several times.
type Marks func(do func(Mark) error) error

// Source is a stored workbook.
type Source interface {
	io.ReaderAt
	Size() int64
}

// MaxComments is the maximum number of comments in a sheet: programs take long to open one
// with many more. The cells after that are filled, without a comment.
const MaxComments = 20_000

// maxPart is the maximum size in bytes of a part that is patched in memory.
const maxPart = 32 << 20

// Workbook writes the workbook with marked cells in one sheet to out. It returns
// UNSUPPORTED_FORMAT if the workbook's parts do not have the required structure.
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

// copy writes a part of the workbook, unchanged or patched.
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
	return problem.Wrap(err, problem.UnsupportedFormat, "This workbook cannot be annotated because of its structure. Download the rows with errors instead.")
}
