package annotate

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// workbookPatch is a workbook with the changes to its parts.
type workbookPatch struct {
	archive *zip.Reader
	parts   map[string]*zip.File // by canonical name
	marks   Marks
	strict  bool // its parts use the namespaces of ISO 29500 Strict

	main, sheet, styles, comments, drawing string // names of parts; "" for missing ones
	sheetRels                              *relations
	legacy                                 string // relation of the drawing to which the sheet refers

	errorStyles func(s int) int // maps the style of a cell to the one with the error fill
	commented   map[string]bool // cells that already have a comment
	// patches write parts, by canonical name; added are the names of new ones.
	patches map[string]func(out io.Writer, in io.Reader) error
	added   []string
}

// canonicalName returns the same name for all spellings of a part's name.
func canonicalName(name string) string {
	return strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "/"))
}

// openWorkbook finds the relevant parts of a workbook.
func openWorkbook(archive *zip.Reader, sheetName string) (*workbookPatch, error) {
	b := &workbookPatch{archive: archive, parts: make(map[string]*zip.File), patches: make(map[string]func(io.Writer, io.Reader) error), commented: make(map[string]bool)}
	for _, f := range archive.File {
		b.parts[canonicalName(f.Name)] = f
	}
	root, err := b.relations("")
	if err != nil {
		return nil, err
	}
	b.main = "xl/workbook.xml"
	if r := root.kind("officeDocument"); r != nil {
		b.main = r.target
	}
	rels, err := b.relations(b.main)
	if err != nil {
		return nil, err
	}
	id, err := b.sheetID(sheetName)
	if err != nil {
		return nil, err
	}
	r := rels.byID(id)
	if r == nil || b.parts[canonicalName(r.target)] == nil {
		return nil, unsupportedError(fmt.Errorf("the sheet part is missing"))
	}
	b.sheet = r.target
	if r := rels.kind("styles"); r != nil {
		b.styles = r.target
	}
	return b, b.openSheet()
}

// openSheet finds the parts to which the sheet refers.
func (b *workbookPatch) openSheet() (err error) {
	if b.sheetRels, err = b.relations(b.sheet); err != nil {
		return err
	}
	if r := b.sheetRels.kind("comments"); r != nil {
		b.comments = r.target
	}
	if b.legacy, err = b.legacyDrawing(); err != nil {
		return err
	}
	if r := b.sheetRels.byID(b.legacy); r != nil {
		b.drawing = r.target
	}
	return nil
}

// readPart returns the content of a small part.
func (b *workbookPatch) readPart(name string) ([]byte, error) {
	f := b.parts[canonicalName(name)]
	if f == nil {
		return nil, unsupportedError(fmt.Errorf("part %s not found", name))
	}
	in, err := f.Open()
	if err != nil {
		return nil, unsupportedError(err)
	}
	text, err := io.ReadAll(io.LimitReader(in, maxPart+1))
	if err = errors.Join(err, in.Close()); err != nil {
		return nil, unsupportedError(err)
	}
	if len(text) > maxPart {
		return nil, unsupportedError(fmt.Errorf("%s is larger than %d MB", name, maxPart>>20))
	}
	return text, nil
}

// replacePart replaces a part, or adds a new one.
func (b *workbookPatch) replacePart(name string, text []byte) {
	b.patch(name, func(out io.Writer, _ io.Reader) error {
		_, err := out.Write(text)
		return err
	})
}

func (b *workbookPatch) patch(name string, write func(out io.Writer, in io.Reader) error) {
	if b.parts[canonicalName(name)] == nil {
		b.added = append(b.added, name)
	}
	b.patches[canonicalName(name)] = write
}

// unusedPartName returns a name for a new part.
func (b *workbookPatch) unusedPartName(pattern string) string {
	for n := 1; ; n++ {
		name := fmt.Sprintf(pattern, n)
		if b.parts[canonicalName(name)] == nil {
			return name
		}
	}
}

// siblingPart returns the name of a part relative to the workbook's folder.
func (b *workbookPatch) siblingPart(name string) string { return path.Join(path.Dir(b.main), name) }
