package entity

import "github.com/loadbay/loadbay/shared/job/rowwrite"

// uniqueRows returns those of the rows that are known to be the only rows of their file about
// their entities.
func (b *Batch) uniqueRows(rows []int) []int {
	var alone []int
	for _, i := range rows {
		if !b.DuplicateKeys.Has(b.Row(i)) {
			alone = append(alone, i)
		}
	}
	return alone
}

// FilterUnchanged returns the rows that an upsert has to write, in order. It omits rows whose
// entity already has all of their values, and sets their results. An omitted row takes no lock
// and writes no WAL, unlike an ON CONFLICT with a false condition. A concurrent writer of the
// entity counts as writing before or after the row.
//
// unchanged returns the indexes of the unchanged rows. Rows that share a key with another row of
// the file are not passed to it and are always written: their number keeps an earlier row from
// overwriting their values if the chunk of that row is written later.
func (b *Batch) FilterUnchanged(rows []int, unchanged func(rows []int) (map[int]bool, error)) ([]int, error) {
	alone := b.uniqueRows(rows)
	if b.Mode != rowwrite.Upsert || len(alone) == 0 {
		return rows, nil
	}
	same, err := unchanged(alone)
	if err != nil || len(same) == 0 {
		return rows, err
	}
	changing := make([]int, 0, len(rows)-len(same))
	for _, i := range rows {
		if same[i] {
			b.Results[i] = Result{Outcome: rowwrite.Unchanged}
		} else {
			changing = append(changing, i)
		}
	}
	return changing, nil
}
