package sheet

// Observer sees rows with data while a file is cut, in file order. A row is only valid during the
// call. A nil function sees none.
type Observer struct {
	// Each sees all rows. With it, rows of RangeReadable files are split into cells.
	Each func(*Row)
	// Last sees at least the rows in the last LastBytes of the file.
	Last func(*Row)
}

// LastBytes bounds how much of a RangeReadable file is split into cells for Observer.Last.
const LastBytes = 256 << 10

// Observe returns rows that show each row to the observer as it is read.
func Observe(rows Rows, o Observer) Rows {
	if o.Each == nil && o.Last == nil {
		return rows
	}
	return &observedRows{rows, o}
}

type observedRows struct {
	Rows
	observer Observer
}

func (r *observedRows) Next() bool {
	if !r.Rows.Next() {
		return false
	}
	r.observer.See(r.Row(), true)
	return true
}

// See shows a row to the functions; last reports whether Last sees it.
func (o *Observer) See(r *Row, last bool) {
	if o.Each != nil {
		o.Each(r)
	}
	if last && o.Last != nil {
		o.Last(r)
	}
}
