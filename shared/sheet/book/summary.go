package book

import "github.com/loadbay/loadbay/shared/sheet"

// maxSampledSheets is how many sheets are looked into; others are only named.
const maxSampledSheets = 50

// sizeClaimer is a grid that knows what its file claims of its size.
type sizeClaimer interface {
	// Claims is the last row that the sheet is said to have, 0 where nothing is said.
	// Nobody has checked it.
	ClaimedRows() int64
}

// SheetSummaries says of each sheet what it is like, as far as its first rows show it.
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

// minAreaDivisor: a sheet with less than that part of what the largest has is beside it: a
// cover, a legend.
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
	out.Rows, out.Columns, out.Area = sample.Extent()
	out.Exact = more
	if claims, ok := grid.(sizeClaimer); ok && !more {
		out.Rows = max(out.Rows, claims.ClaimedRows())
	}
	return nil
}
