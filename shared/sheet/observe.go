package sheet

// Observe returns rows that call observe with each row as it is read; nil returns the rows
// themselves. A row is only valid during the call.
func Observe(rows Rows, observe func(*Row)) Rows {
	if observe == nil {
		return rows
	}
	return &observedRows{rows, observe}
}

type observedRows struct {
	Rows
	observe func(*Row)
}

func (o *observedRows) Next() bool {
	if !o.Rows.Next() {
		return false
	}
	o.observe(o.Row())
	return true
}
