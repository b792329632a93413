package sheet

// Summary describes one sheet of a workbook, as a basis for choosing a sheet.
type Summary struct {
	Index    int
	Name     string // result of CleanName
	Hidden   bool
	HasCells bool // has cells; charts, dialogs and macros have none
	// Rows is the number of the last row that was read, or that the file declares; Exact reports
	// whether the last row was read.
	Rows    int64
	Exact   bool
	Columns int // maximum number of filled columns in the first rows
	// Area is the number of table cells in the first rows: see Sample.Extent.
	Area int
	// LooksLikeData reports whether the sheet has a table that is not small compared with the
	// others.
	LooksLikeData bool
}

// Extent returns the number of the last sampled row, the number of columns, and the number of
// cells in rows that look like one table: at least two rows below a header, of at least two cells
// and at least half as wide as it. A cover sheet has none.
func (s *Sample) Extent() (last int64, columns, area int) {
	for i := range s.rows {
		last, columns = s.rows[i].Number, max(columns, len(s.rows[i].Cells))
	}
	header, found := s.Header(0, 1)
	if !found {
		return last, columns, 0
	}
	width, rows := 0, 0
	for i := range s.rows {
		switch n := filledCells(&s.rows[i]); {
		case s.rows[i].Number == header.Row:
			width = n
		case s.rows[i].Number > header.Row && n >= 2 && 2*n >= width:
			area += n
			rows++
		}
	}
	if width < 2 || rows < 2 {
		return last, columns, 0
	}
	return last, columns, area
}
