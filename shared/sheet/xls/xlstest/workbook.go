// Package xlstest writes small .xls files for tests: valid ones, and ones with wrong declarations.
// Its names are those of the format's specification, [MS-XLS].
//
// Tested by shared/sheet/xls: reading the files that it writes.
package xlstest

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
)

// The versions of the format.
const (
	BIFF5 = 0x0500
	BIFF8 = 0x0600
)

// Sheet is a sheet of a workbook.
type Sheet struct {
	Name    string
	State   byte // 0 visible, 1 hidden, 2 very hidden
	Kind    byte // 0 cells, 2 a chart
	Records [][]byte
}

// Book is a workbook.
type Book struct {
	Version uint16
	Globals [][]byte
	Sheets  []Sheet
}

// Simple returns a workbook of BIFF8 with one sheet, three shared strings, and cell formats 0
// (General), 1 (a date), 2 (a custom date format), 3 (five digits) and 4 (123-45-6789).
func Simple(records ...[]byte) Book {
	return Book{
		Version: BIFF8,
		Globals: [][]byte{
			Record(0x041e, uint16(170), Text(`yyyy\-mm\-dd\ hh:mm`)),
			Record(0x041e, uint16(171), Text("00000")),
			Record(0x041e, uint16(172), Text(`000\-00\-0000`)),
			Record(0x00e0, uint16(0), uint16(0), make([]byte, 16)),
			Record(0x00e0, uint16(0), uint16(14), make([]byte, 16)),
			Record(0x00e0, uint16(0), uint16(170), make([]byte, 16)),
			Record(0x00e0, uint16(0), uint16(171), make([]byte, 16)),
			Record(0x00e0, uint16(0), uint16(172), make([]byte, 16)),
			SST("zero", "ürän", "☃😀"),
		},
		Sheets: []Sheet{{Name: "Data", Records: records}},
	}
}

// Stream returns the workbook's stream.
func (b Book) Stream() []byte {
	var bounds, bodies [][]byte
	for _, s := range b.Sheets {
		name := Chars(s.Name)
		if b.Version < BIFF8 {
			name = []byte(s.Name)
		}
		bounds = append(bounds, Record(0x0085, uint32(0), s.State, s.Kind, byte(len([]rune(s.Name))), name))
		bodies = append(bodies, bytes.Join([][]byte{BOF(b.Version, 0x0010), bytes.Join(s.Records, nil), EOF()}, nil))
	}
	globals := bytes.Join([][]byte{BOF(b.Version, 0x0005), bytes.Join(b.Globals, nil)}, nil)
	offset := len(globals) + len(bytes.Join(bounds, nil)) + len(EOF())
	for i := range bounds {
		binary.LittleEndian.PutUint32(bounds[i][4:], uint32(offset))
		offset += len(bodies[i])
	}
	return bytes.Join([][]byte{globals, bytes.Join(bounds, nil), EOF(), bytes.Join(bodies, nil)}, nil)
}

// File returns the workbook in its container.
func (b Book) File() []byte {
	name := "Workbook"
	if b.Version < BIFF8 {
		name = "Book"
	}
	return Container(Stream{Name: name, Body: b.Stream()})
}

// Chars encodes a string of BIFF8 without its length: one byte per character if possible.
func Chars(s string) []byte {
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

// Text encodes a string of BIFF8 with a length of two bytes.
func Text(s string) []byte {
	return append(binary.LittleEndian.AppendUint16(nil, uint16(len(utf16.Encode([]rune(s))))), Chars(s)...)
}
