package xlsx

import (
	"bytes"
	"context"
	"runtime"
	"strings"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/book"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/opc"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/xmlpull"
)

// maxSheets exceeds the limits of programs by far.
const maxSheets = 10_000

// workbook is the main part, which references all others.
type workbook struct {
	pkg      *opc.Package
	lim      sheet.Limits
	sheets   []book.Sheet
	parts    []string // part of each sheet, "" if it has none
	date1904 bool
	formats  []book.Style // by a cell's style
	strings  *sharedStrings
	prefetch *prefetchOptions // options for prefetching sheets on other cores; nil without prefetching
}

// enablePrefetch enables prefetching on other cores, if there are any, for a sheet that is read to
// its end.
func (w *workbook) enablePrefetch() {
	if cores := runtime.GOMAXPROCS(0); cores > 1 {
		w.prefetch = newPrefetchOptions(cores)
		w.strings.prefetch = true
	}
}

func open(ctx context.Context, src sheet.Source, lim sheet.Limits) (*workbook, error) {
	src, err := openContainer(ctx, src)
	if err != nil {
		return nil, err
	}
	pkg, err := opc.Open(ctx, src, lim)
	if err != nil {
		return nil, err
	}
	main, err := mainPart(pkg)
	if err != nil {
		return nil, err
	}
	rels, err := relations(pkg, main)
	if err != nil {
		return nil, err
	}
	w := &workbook{pkg: pkg, lim: lim}
	if err := w.readMain(main, rels); err != nil {
		return nil, err
	}
	if styles, found := firstTarget(rels, "styles"); found && pkg.Has(styles) {
		if w.formats, err = readStyles(pkg, styles); err != nil {
			return nil, err
		}
	}
	part, _ := firstTarget(rels, "sharedStrings")
	w.strings = &sharedStrings{pkg: pkg, part: part, lim: lim}
	return w, nil
}

// mainPart returns the name of the workbook's part. Other archives are UNSUPPORTED_FORMAT.
func mainPart(pkg *opc.Package) (string, error) {
	rels, err := relations(pkg, "")
	if err != nil {
		return "", err
	}
	main, found := firstTarget(rels, "officeDocument")
	if !found || !pkg.Has(main) {
		main = "xl/workbook.xml"
	}
	switch {
	case strings.HasSuffix(main, ".bin") || pkg.Has("xl/workbook.bin"):
		return "", unsupportedError("a binary workbook (.xlsb). Save it as .xlsx")
	case pkg.Has("mimetype") && pkg.Has("content.xml"):
		return "", unsupportedError("an OpenDocument file (.ods). Save it as .xlsx")
	case pkg.Has("word/document.xml"):
		return "", unsupportedError("a text document, not a workbook")
	case !pkg.Has(main):
		return "", unsupportedError("a ZIP file, not a workbook")
	}
	return main, nil
}

func unsupportedError(what string) error {
	return problem.New(problem.UnsupportedFormat, "The file is %s.", what)
}

// readMain reads the list of sheets and the date system.
func (w *workbook) readMain(main string, rels map[string]relation) error {
	return eachElement(w.pkg, main, func(x *xmlpull.Scanner) error {
		switch {
		case x.Depth() == 1 && string(x.Local()) != "workbook":
			return unsupportedError("an Office document, but not a workbook")
		case x.Depth() == 2 && string(x.Local()) == "workbookPr":
			flag, _ := x.Attr("date1904")
			w.date1904 = isTrue(flag)
		case x.Depth() == 3 && string(x.Local()) == "sheet":
			return w.addSheet(x, rels)
		}
		return nil
	})
}

func (w *workbook) addSheet(x *xmlpull.Scanner, rels map[string]relation) error {
	if len(w.sheets) == maxSheets {
		return corruptError("it has more than %d sheets", maxSheets)
	}
	name, err := attr(x, "name")
	if err != nil {
		return err
	}
	state, _ := x.Attr("state")
	rel := rels[relationID(x)]
	w.parts = append(w.parts, rel.target)
	w.sheets = append(w.sheets, book.Sheet{
		Name:   string(appendDecoded(nil, []byte(name))),
		Hidden: bytes.HasSuffix(bytes.ToLower(state), []byte("hidden")),
		Grid:   rel.kind == "worksheet",
	})
	return nil
}

// relationID returns the r:id of the current element, with any prefix.
func relationID(x *xmlpull.Scanner) string {
	for _, a := range x.Attrs() {
		if len(a.Prefix) > 0 && string(a.Local) == "id" {
			return string(a.Value)
		}
	}
	return ""
}

// Sheets implements book.Workbook.
func (w *workbook) Sheets() []book.Sheet { return w.sheets }

// Date1904 implements book.Workbook.
func (w *workbook) Date1904() bool { return w.date1904 }

// Warnings implements book.Workbook.
func (w *workbook) Warnings() []problem.Code { return nil }

// Grid implements book.Workbook.
func (w *workbook) Grid(index int) (book.Grid, error) {
	return newGrid(w, w.parts[index])
}

func (w *workbook) close() error { return w.strings.close() }
