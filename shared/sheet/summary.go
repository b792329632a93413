package sheet

// Summary is what one sheet of a workbook is like, for whoever chooses among them.
type Summary struct {
	Index    int
	Name     string // as package sheet's Name has it
	Hidden   bool
	HasCells bool // has cells; charts, dialogs and macros have none
	// Rows is the number of its last row, as far as was looked, or as the file claims;
	// Exact says that its last row was seen.
	Rows    int64
	Exact   bool
	Columns int // the most that its first rows fill
	// Area is how many cells of the first rows are in a table: see Sample.Extent.
	Area int
	// LooksLikeData says that it has a table that is not small beside those of the others.
	LooksLikeData bool
}

// Extent is the number of the last sampled row, how many columns the rows reach over, and
// how many cells are in rows that look like those of one table: below a header, at least
// two, of at least two cells, and half as wide as it or more. A cover sheet has none.
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
