package xls_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xls"
	"github.com/loadbay/loadbay/shared/sheet/xls/internal/oletest"
)

// record packs values of fixed size and strings of bytes into a record.
func record(id uint16, values ...any) []byte {
	var body bytes.Buffer
	for _, v := range values {
		if s, ok := v.(string); ok {
			v = []byte(s)
		}
		if err := binary.Write(&body, binary.LittleEndian, v); err != nil {
			panic(err) // a value without a fixed size: a mistake in a test
		}
	}
	head := binary.LittleEndian.AppendUint16(nil, id)
	head = binary.LittleEndian.AppendUint16(head, uint16(body.Len()))
	return append(head, body.Bytes()...)
}

// The first record of a substream and the last one.
func bof(version, kind uint16) []byte {
	return record(0x0809, version, kind, uint16(0), uint16(0), uint64(0))
}

var eof = record(0x000a)

const (
	biff5 = 0x0500
	biff8 = 0x0600
)

// chars is a string of BIFF8 without its length: one byte a character where
// that is enough.
func chars(s string) []byte {
	units := utf16.Encode([]rune(s))
	out := []byte{0}
	for _, u := range units {
		if u > 0xff {
			out[0] = 1
		}
	}
	for _, u := range units {
		out = append(out, byte(u))
		if out[0] == 1 {
			out = append(out, byte(u>>8))
		}
	}
	return out
}

// text is a string of BIFF8 with a length of two bytes.
func text(s string) []byte {
	return append(binary.LittleEndian.AppendUint16(nil, uint16(len(utf16.Encode([]rune(s))))), chars(s)...)
}

// sst is the table of shared strings in one record.
func sst(items ...string) []byte {
	var body []byte
	for _, s := range items {
		body = append(body, text(s)...)
	}
	return record(0x00fc, uint32(len(items)), uint32(len(items)), body)
}

// sheetOf is a sheet: its name, its state (0 visible, 1 hidden, 2 very), its
// kind (0 cells, 2 chart) and its records.
type sheetOf struct {
	name    string
	state   byte
	kind    byte
	records [][]byte
}

// book is a workbook.
type book struct {
	version uint16
	globals [][]byte
	sheets  []sheetOf
}

// simple is a workbook of BIFF8 with one sheet, three shared strings, and cell
// formats 0 (General), 1 (a date) and 2 (a date of its own).
func simple(records ...[]byte) book {
	return book{
		version: biff8,
		globals: [][]byte{
			record(0x041e, uint16(170), text(`yyyy\-mm\-dd\ hh:mm`)),
			record(0x00e0, uint16(0), uint16(0), make([]byte, 16)),
			record(0x00e0, uint16(0), uint16(14), make([]byte, 16)),
			record(0x00e0, uint16(0), uint16(170), make([]byte, 16)),
			sst("zero", "ürän", "☃😀"),
		},
		sheets: []sheetOf{{name: "Data", records: records}},
	}
}

// stream is the workbook's stream.
func (b book) stream() []byte {
	var bounds, bodies [][]byte
	for _, s := range b.sheets {
		name := chars(s.name)
		if b.version == biff5 {
			name = []byte(s.name)
		}
		bounds = append(bounds, record(0x0085, uint32(0), s.state, s.kind, byte(len([]rune(s.name))), name))
		bodies = append(bodies, bytes.Join([][]byte{bof(b.version, 0x0010), bytes.Join(s.records, nil), eof}, nil))
	}
	globals := bytes.Join([][]byte{bof(b.version, 0x0005), bytes.Join(b.globals, nil)}, nil)
	at := len(globals) + len(bytes.Join(bounds, nil)) + len(eof)
	for i := range bounds {
		binary.LittleEndian.PutUint32(bounds[i][4:], uint32(at))
		at += len(bodies[i])
	}
	return bytes.Join([][]byte{globals, bytes.Join(bounds, nil), eof, bytes.Join(bodies, nil)}, nil)
}

func (b book) file() []byte {
	name := "Workbook"
	if b.version == biff5 {
		name = "Book"
	}
	return oletest.File(oletest.Stream{Name: name, Body: b.stream()})
}

// Records of cells.
func number(row, column, format uint16, v float64) []byte {
	return record(0x0203, row, column, format, math.Float64bits(v))
}

func label(row, column uint16, s string) []byte {
	return record(0x0204, row, column, uint16(0), text(s))
}

func shared(row, column uint16, index uint32) []byte {
	return record(0x00fd, row, column, uint16(0), index)
}

// header names two columns in row 1, so that all below are data.
func header() []byte { return append(label(0, 0, "a"), label(0, 1, "b")...) }

// outcome is what reading a workbook gives.
type outcome struct {
	dialect *sheet.Dialect
	rows    []string // "2: T one|N 1|-"
	counts  sheet.Counts
	err     error
}

var kinds = map[sheet.Kind]string{
	sheet.Text: "T", sheet.Number: "N", sheet.Bool: "B", sheet.Date: "D", sheet.Fault: "F", sheet.Formula: "?",
}

func show(r *sheet.Row) string {
	cells := make([]string, len(r.Cells))
	for i, c := range r.Cells {
		cells[i] = "-"
		if c.Kind != sheet.Empty {
			cells[i] = strings.TrimSuffix(kinds[c.Kind]+" "+string(c.Bytes), " ")
		}
	}
	return fmt.Sprintf("%d: %s", r.Number, strings.Join(cells, "|"))
}

// read takes a workbook through both calls with the header in row 1.
func read(tb testing.TB, file []byte, lim sheet.Limits) outcome {
	tb.Helper()
	d, err := xls.Detect(context.Background(), bytes.NewReader(file), sheet.Options{HeaderRow: 1}, lim)
	if err != nil {
		return outcome{err: err}
	}
	out := outcome{dialect: d}
	r, err := xls.Open(context.Background(), bytes.NewReader(file), d, lim)
	if err != nil {
		out.err = err
		return out
	}
	for r.Next() {
		out.rows = append(out.rows, show(r.Row()))
	}
	out.err, out.counts = r.Err(), r.Counts()
	require.NoError(tb, r.Close())
	return out
}
