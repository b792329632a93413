package xls

import (
	"encoding/binary"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/book"
	"github.com/loadbay/loadbay/shared/sheet/xls/internal/biff"
)

// firstOf3 is the first record type of Excel 3. Those below are of Excel 2, or
// have not changed since.
const firstOf3 = 0x0200

// oldValueAt is where a cell record of Excel 2 has its value, behind row, column
// and three bytes of attributes.
const oldValueAt = 7

// oldSize is the least size of the value of a record, if it is a cell in the
// form of Excel 2.
func oldSize(recordType uint16) (size int, old bool) {
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

// readOld reads a cell in the form of Excel 2, as some programs write them into
// later workbooks. Its attributes are not those of later versions, and name no
// number format.
func (g *grid) readOld(r biff.Record, size int) error {
	if err := r.Need(oldValueAt + size); err != nil {
		return err
	}
	var c sheet.Cell
	var err error
	switch value := r.Body[oldValueAt:]; r.Type {
	case biff.Integer2:
		c = g.number(float64(binary.LittleEndian.Uint16(value)), book.Style{})
	case biff.Number2:
		c = g.number(biff.Float(value), book.Style{})
	case biff.BoolErr2:
		c = g.boolErr(value[0], value[1] != 0)
	default:
		c, err = g.text(func(dst []byte) ([]byte, error) { return g.w.appendBytes(dst, r, oldValueAt, 1) })
	}
	if err != nil {
		return err
	}
	return g.build.Place(int(binary.LittleEndian.Uint16(r.Body[2:])), c)
}
