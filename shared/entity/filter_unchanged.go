package entity

// uniqueRows are those of the rows at those places that are known to be the only ones of their
// file about their entities.
func (b *Batch) uniqueRows(rows []int) []int {
	var alone []int
	for _, i := range rows {
		if !b.DuplicateKeys.Has(b.Row(i)) {
			alone = append(alone, i)
		}
	}
	return alone
}

// FilterUnchanged returns those of the rows that an upsert has to write, in their order. It leaves
// out the rows whose entity has all the values that they give, and sets their results: such
// a row takes no lock and leaves nothing in the log, which an ON CONFLICT whose condition is
// false does. Who writes the entity at the same time comes before the row or after it.
//
// unchanged returns which rows those are, by their places. A row that has a key of another
// row of the file is not asked about and is written whatever it changes: its number keeps an
// earlier row from overwriting its values, if that one's chunk comes later.
func (b *Batch) FilterUnchanged(rows []int, unchanged func(rows []int) (map[int]bool, error)) ([]int, error) {
	alone := b.uniqueRows(rows)
	if b.Mode != Upsert || len(alone) == 0 {
		return rows, nil
	}
	same, err := unchanged(alone)
	if err != nil || len(same) == 0 {
		return rows, err
	}
	changing := make([]int, 0, len(rows)-len(same))
	for _, i := range rows {
		if same[i] {
			b.Results[i] = Result{Outcome: Unchanged}
		} else {
			changing = append(changing, i)
		}
	}
	return changing, nil
}
