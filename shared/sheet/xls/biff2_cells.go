package xls

import (
	"encoding/binary"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/book"
	"github.com/loadbay/loadbay/shared/sheet/xls/internal/biff"
)

// firstBIFF3Type is the first record type of Excel 3. Lower ones are those of Excel 2, or have not
// changed since.
const firstBIFF3Type = 0x0200

// biff2ValueAt is the offset of the value in a cell record of Excel 2, after row, column and three
// bytes of attributes.
const biff2ValueAt = 7

// biff2ValueSize returns the minimum size of the value of a record, if it is a cell in the form of
// Excel 2.
func biff2ValueSize(recordType uint16) (size int, old bool) {
	switch recordType {
	case biff.Integer2, biff.BoolErr2:
		return 2, true
	case biff.Number2:
		return 8, true
	case biff.Label2:
		return 1, true
	}
	return 0, false
}

// readBIFF2Cell reads a cell in the form of Excel 2, which some programs write into later
// workbooks. Its attributes differ from those of later versions, and contain no number format.
func (g *grid) readBIFF2Cell(r biff.Record, size int) error {
	if err := r.RequireLen(biff2ValueAt + size); err != nil {
		return err
	}
	var c sheet.Cell
	var err error
	switch value := r.Body[biff2ValueAt:]; r.Type {
	case biff.Integer2:
		c = g.numberCell(float64(binary.LittleEndian.Uint16(value)), book.Style{})
	case biff.Number2:
		c = g.numberCell(biff.Float(value), book.Style{})
	case biff.BoolErr2:
		c = g.boolErrCell(value[0], value[1] != 0)
	default:
		c, err = g.textCell(func(dst []byte) ([]byte, error) { return g.w.appendBytes(dst, r, biff2ValueAt, 1) })
	}
	if err != nil {
		return err
	}
	return g.build.SetCell(int(binary.LittleEndian.Uint16(r.Body[2:])), c)
}
