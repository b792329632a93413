package xlsx

import (
	"strconv"

	"github.com/loadbay/loadbay/shared/sheet/book"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/opc"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/xmlpull"
)

// maxStyles limits the tables of number formats and cell formats; programs allow 64,000.
const maxStyles = 1 << 17

// readStyles returns the style of each cell format.
func readStyles(pkg *opc.Package, part string) ([]book.Style, error) {
	custom := make(map[int]book.Style)
	var formats []book.Style
	inCells := false
	err := eachElement(pkg, part, func(x *xmlpull.Scanner) error {
		switch local := string(x.Local()); {
		case x.Depth() == 2:
			inCells = local == "cellXfs"
		case x.Depth() == 3 && local == "numFmt" && len(custom) < maxStyles:
			code, err := attr(x, "formatCode")
			custom[formatID(x)] = book.ParseFormat(code)
			return err
		case x.Depth() == 3 && inCells && local == "xf":
			if len(formats) == maxStyles {
				return corruptError("it has more than %d cell formats", maxStyles)
			}
			id := formatID(x)
			f, found := custom[id]
			if !found {
				f = book.BuiltinFormat(id)
			}
			formats = append(formats, f)
		}
		return nil
	})
	return formats, err
}

// formatID returns the number format of the current element; -1, which does not exist, if it is
// invalid.
func formatID(x *xmlpull.Scanner) int {
	raw, _ := x.Attr("numFmtId")
	id, err := strconv.Atoi(string(raw))
	if err != nil {
		return -1
	}
	return id
}
