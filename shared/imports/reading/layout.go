package reading

import (
	"fmt"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// LayoutWarnings reports rows and values of a workbook that its reader may expect to be read otherwise,
// once the workbook was read to its end.
func LayoutWarnings(counts sheet.Counts) []string {
	var out []string
	l := counts.Layout
	if l.HiddenRows > 0 {
		out = append(out, fmt.Sprintf("%s: %d, starting with row %d", problem.RowsHidden, l.HiddenRows, l.FirstHidden))
	}
	if l.Merged > 0 {
		out = append(out, fmt.Sprintf("%s: %d, starting with %s", problem.CellsMerged, l.Merged, l.FirstMerged))
	}
	if l.Beyond > 0 {
		out = append(out, fmt.Sprintf("%s: values right of the last column are not used: %d, starting with row %d", problem.ColumnUnused, l.Beyond, l.FirstBeyond))
	}
	return out
}
