package xlstest

import (
	"bytes"
	"encoding/binary"
	"math"
)

// Record packs values of fixed size and strings of bytes into a record.
func Record(id uint16, values ...any) []byte {
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

// BOF returns the first record of a substream: of the globals (kind 0x0005) or of a sheet (0x0010).
func BOF(version, kind uint16) []byte {
	return Record(0x0809, version, kind, uint16(0), uint16(0), uint64(0))
}

// EOF returns the last record of a substream.
func EOF() []byte { return Record(0x000a) }

// SST returns the table of shared strings in one record.
func SST(items ...string) []byte {
	var body []byte
	for _, s := range items {
		body = append(body, Text(s)...)
	}
	return Record(0x00fc, uint32(len(items)), uint32(len(items)), body)
}

// Number returns a cell with a number. Rows, columns and formats count from 0.
func Number(row, column, format uint16, v float64) []byte {
	return Record(0x0203, row, column, format, math.Float64bits(v))
}

// Label returns a cell with an inline text.
func Label(row, column uint16, s string) []byte {
	return Record(0x0204, row, column, uint16(0), Text(s))
}

// Shared returns a cell with a shared string.
func Shared(row, column uint16, index uint32) []byte {
	return Record(0x00fd, row, column, uint16(0), index)
}

// Header returns two column names, a and b, in row 1, so that all rows below are data.
func Header() []byte { return append(Label(0, 0, "a"), Label(0, 1, "b")...) }
