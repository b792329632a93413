package book

import "github.com/loadbay/loadbay/shared/sheet"

// maxSampledSheets is the maximum number of sheets that are sampled; for others only the name is
// returned.
const maxSampledSheets = 50

// sizeClaimer is implemented by grids of files that declare their size.
type sizeClaimer interface {
	// ClaimedRows returns the last row number that the file declares, without verification, or 0
	// if it declares none.
	ClaimedRows() int64
}

// SheetSummaries returns a summary of each sheet, based on its first rows.
func SheetSummaries(w Workbook) ([]sheet.Summary, error) {
	out := make([]sheet.Summary, len(w.Sheets()))
	largest := 0
	for i, s := range w.Sheets() {
		out[i] = sheet.Summary{Index: i, Hidden: s.Hidden, HasCells: s.Grid}
		out[i].Name, _ = sheet.CleanName([]byte(s.Name))
		if !s.Grid || i >= maxSampledSheets {
			continue
		}
		if err := summarise(w, i, &out[i]); err != nil {
			return nil, err
		}
		largest = max(largest, out[i].Area)
	}
	for i := range out {
		out[i].LooksLikeData = !out[i].Hidden && out[i].Area > 0 && out[i].Area*minAreaDivisor >= largest
	}
	return out, nil
}

// minAreaDivisor: a sheet with less than this part of the largest area is secondary, such as a
// cover or a legend.
const minAreaDivisor = 10

func summarise(w Workbook, index int, out *sheet.Summary) (err error) {
	grid, err := w.Grid(index)
	if err != nil {
		return err
	}
	defer func() {
		if closed := grid.Close(); err == nil {
			err = closed
		}
	}()
	var sample sheet.Sample
	more := true
	for more && grid.Next() {
		more = sample.Add(grid.Row())
	}
	if err := grid.Err(); err != nil {
		return err
	}
	sample.AddExtent(out)
	out.Exact = more
	if claims, ok := grid.(sizeClaimer); ok && !more {
		out.Rows = max(out.Rows, claims.ClaimedRows())
	}
	return nil
}
