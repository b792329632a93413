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
	// Header is the apparent header.
	Header []string
	// TableRows and Area are the numbers of rows and cells in the first rows that look like one
	// table: see Sample.Extent.
	TableRows, Area int
	// LooksLikeData reports whether the sheet has a table that is not small compared with the
	// others.
	LooksLikeData bool
}

// AddExtent sets the number of the last sampled row, the number of columns, the header, and the
// numbers of rows and cells that look like one table: rows below a header of at least two cells,
// with at least two cells and at least half as wide as it. A cover sheet has none. A single row
// has no area, because it may be a line of text.
func (s *Sample) AddExtent(out *Summary) {
	for i := range s.rows {
		out.Rows, out.Columns = s.rows[i].Number, max(out.Columns, len(s.rows[i].Cells))
	}
	header, found := s.Header(0, 1)
	if !found {
		return
	}
	out.Header = header.Names
	width, area := 0, 0
	for i := range s.rows {
		switch n := filledCells(&s.rows[i]); {
		case s.rows[i].Number == header.Row:
			width = n
		case s.rows[i].Number > header.Row && width >= 2 && n >= 2 && 2*n >= width:
			area += n
			out.TableRows++
		}
	}
	if out.TableRows >= 2 {
		out.Area = area
	}
}

// Fields are the names of the fields that the columns of a sheet match.
type Fields = map[string]bool

// BetterSheet returns the sheet to read instead of the one with that index, whose columns match these
// fields; nil for none. It is the first visible one with rows whose header is complete, that is, has all
// required columns, if the other sheet lacks any: that is probably a cover.
func BetterSheet(all []Summary, index int, fields Fields, fieldsOf func(header []string) Fields, complete func(Fields) bool) *Summary {
	mayBeRead := complete(fields)
	if len(fields) > 0 && mayBeRead {
		return nil
	}
	for _, s := range all {
		if s.Index == index || s.Hidden || s.TableRows == 0 {
			continue
		}
		theirs := fieldsOf(s.Header)
		if complete(theirs) && (!mayBeRead || len(theirs) > 1) { // one header alone may match by chance
			return &s
		}
	}
	return nil
}
