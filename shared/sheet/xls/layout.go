package xls

import (
	"encoding/binary"
	"fmt"

	"github.com/loadbay/loadbay/shared/sheet/cellname"
	"github.com/loadbay/loadbay/shared/sheet/xls/internal/biff"
)

// readLayout reads which rows and columns are hidden, and which cells are merged. Records that are too
// short are ignored: they do not concern values.
func (g *grid) readLayout(r biff.Record) {
	field := func(i int) uint16 { return binary.LittleEndian.Uint16(r.Body[2*i:]) }
	switch {
	case r.Type == biff.Row && len(r.Body) >= 14 && field(6)&0x20 != 0:
		if g.hidden == nil {
			g.hidden = map[uint16]bool{}
		}
		g.hidden[field(0)] = true
	case r.Type == biff.ColInfo && len(r.Body) >= 10 && field(4)&1 != 0:
		g.layout.HideColumns(int(field(0)), int(field(1)))
	case r.Type == biff.MergedCells && len(r.Body) >= 2:
		for i := 1; i+4 <= len(r.Body)/2 && i < 1+4*int(field(0)); i += 4 {
			if first, last := field(i), field(i+1); first < last {
				g.layout.Merge(int64(first)+1, fmt.Sprintf("%s%d:%s%d", cellname.Column(int(field(i+2))), int(first)+1, cellname.Column(int(field(i+3))), int(last)+1))
			}
		}
	}
}
