package xls

import (
	"context"
	"encoding/binary"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/book"
	"github.com/loadbay/loadbay/shared/sheet/xls/internal/biff"
)

const (
	biff2 = 0x0200
	biff3 = 0x0300
	biff4 = 0x0400
	biff5 = 0x0500
	biff8 = 0x0600

	// The kinds of substreams in their BOF.
	kindGlobals = 0x0005
	kindSheet   = 0x0010

	maxSheets = 10_000
)

// workbook is the global part of the stream.
type workbook struct {
	stream          []byte
	lim             sheet.Limits
	version         uint16
	codepage        codepage // for BIFF5 strings
	guessedCodepage bool     // there is text beyond ASCII without a stated code page
	damagedFormat   bool     // a number format is invalid
	date1904        bool
	sheets          []book.Sheet
	places          []int                 // offset of each sheet in the stream
	formats         map[uint16]book.Style // number formats with a code, by id
	styles          []uint16              // number format ids, by cell format
	strings         *biff.Strings         // nil if there are none
}

func open(ctx context.Context, src sheet.Source, lim sheet.Limits) (*workbook, error) {
	stream, err := readStream(ctx, src)
	if err != nil {
		return nil, err
	}
	w := &workbook{stream: stream, lim: lim, codepage: assumedCodepage, formats: make(map[uint16]book.Style)}
	if err := w.readGlobals(); err != nil {
		return nil, err
	}
	return w, nil
}

// readGlobals reads the records up to the first sheet.
func (w *workbook) readGlobals() error {
	records := biff.NewReader(w.stream, 0)
	first, ok, err := records.Next()
	if err != nil {
		return err
	}
	if !ok {
		return biff.CorruptError("it has no records")
	}
	if err := w.readBOF(first); err != nil {
		return err
	}
	for {
		r, ok, err := records.Next()
		if err != nil {
			return err
		}
		if !ok {
			return biff.CorruptError("it is incomplete")
		}
		if r.Type == biff.EOF {
			return nil
		}
		if err := w.readGlobal(r); err != nil {
			return err
		}
	}
}

// readBOF checks the declarations of the first record about the stream.
func (w *workbook) readBOF(r biff.Record) error {
	switch r.Type {
	case biff.BOF2, biff.BOF3, biff.BOF4:
		return tooOldError(r.Type >> 8)
	case biff.BOF:
	default:
		return biff.CorruptError("its first record is not that of a workbook")
	}
	if err := r.RequireLen(4); err != nil {
		return err
	}
	// Some programs write their own version into the lower byte.
	switch w.version = binary.LittleEndian.Uint16(r.Body) & 0xff00; w.version {
	case biff5, biff8:
	case biff2, biff3, biff4:
		return tooOldError(w.version >> 8)
	default:
		return unsupportedError("a workbook of an unknown version. Save it as .xlsx")
	}
	if binary.LittleEndian.Uint16(r.Body[2:]) != kindGlobals {
		return biff.CorruptError("its first record is not that of a workbook")
	}
	return nil
}

// readGlobal reads one record of the global part.
func (w *workbook) readGlobal(r biff.Record) (err error) {
	switch r.Type {
	case biff.FilePass:
		return w.decrypt(r)
	case biff.CodePage:
		var id uint16
		if id, err = r.Uint16(0); err == nil {
			w.codepage = newCodepage(id)
		}
	case biff.Date1904:
		var flag uint16
		flag, err = r.Uint16(0)
		w.date1904 = flag == 1
	case biff.BoundSheet:
		err = w.addSheet(r)
	case biff.Format:
		w.addFormat(r)
	case biff.XF:
		id, err := r.Uint16(2)
		w.damagedFormat = w.damagedFormat || err != nil
		w.styles = append(w.styles, id)
	case biff.SST:
		w.strings, err = biff.NewStrings(w.stream, r)
	}
	return err
}

// addSheet reads a BoundSheet record: place, state, kind, name.
func (w *workbook) addSheet(r biff.Record) error {
	const nameAt = 6
	if err := r.RequireLen(nameAt); err != nil {
		return err
	}
	if len(w.sheets) == maxSheets {
		return biff.CorruptError("it has too many sheets")
	}
	name, err := w.appendString(nil, r, nameAt, 1)
	if err != nil {
		return err
	}
	place := binary.LittleEndian.Uint32(r.Body)
	w.places = append(w.places, int(place))
	w.sheets = append(w.sheets, book.Sheet{Name: string(name), Hidden: r.Body[4]&3 != 0, Grid: r.Body[5] == 0})
	return nil
}

// addFormat reads a Format record: id, code. A damaged one is treated as missing, because it does
// not contain the values of the cells.
func (w *workbook) addFormat(r biff.Record) {
	lengthBytes := 2
	if w.version == biff5 {
		lengthBytes = 1
	}
	id, err := r.Uint16(0)
	if err == nil {
		var code []byte
		if code, err = w.appendString(nil, r, 2, lengthBytes); err == nil {
			w.formats[id] = book.ParseFormat(string(code))
		}
	}
	w.damagedFormat = w.damagedFormat || err != nil
}

// format returns the style of the cell format with that number.
func (w *workbook) format(style uint16) book.Style {
	if int(style) >= len(w.styles) {
		return book.Style{}
	}
	id := w.styles[style]
	if f, found := w.formats[id]; found {
		return f
	}
	return book.BuiltinFormat(int(id))
}

// Sheets implements book.Workbook.
func (w *workbook) Sheets() []book.Sheet { return w.sheets }

// Date1904 implements book.Workbook.
func (w *workbook) Date1904() bool { return w.date1904 }

// Warnings implements book.Workbook.
func (w *workbook) Warnings() (codes []problem.Code) {
	if w.guessedCodepage {
		codes = append(codes, problem.EncodingAssumed)
	}
	if w.damagedFormat {
		codes = append(codes, problem.NumberFormatUnknown)
	}
	return codes
}

// Grid implements book.Workbook.
func (w *workbook) Grid(index int) (book.Grid, error) { return newGrid(w, w.places[index]) }
