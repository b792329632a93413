package capture

import (
	"fmt"
	"slices"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// Check refuses captured changes by an error.
type Check func([]changeset.Change) error

// Reported holds the rows of which a type has reported that it wrote them, and whose changes must
// therefore have been captured. Rows that may be about the same entity as others are only counted: the
// change is captured once, with the number of one of them, or not at all if they repeat its values.
type Reported struct {
	created, updated []int64
	createdTogether  int
}

// Add adds the results of a batch. It leaves out those of a batch in which a row takes over the entity
// that a later row has created.
func (r *Reported) Add(b *entity.Batch) {
	if len(b.Displaced) > 0 {
		return
	}
	for i := range b.Results {
		switch together := b.DuplicateKeys.Has(b.Row(i)); {
		case b.Results[i].Outcome == rowwrite.Created && together:
			r.createdTogether++
		case b.Results[i].Outcome == rowwrite.Created:
			r.created = append(r.created, b.Row(i))
		case b.Results[i].Outcome == rowwrite.Updated && !together:
			r.updated = append(r.updated, b.Row(i))
		}
	}
}

// Check returns an error if rows were reported as written and no change of theirs was captured:
// without it, a plan would not write them, and an undo would leave them.
func (r *Reported) Check(d *entity.Declaration) Check {
	return func(changes []changeset.Change) error {
		if len(r.created)+len(r.updated)+r.createdTogether == 0 {
			return nil
		}
		own, all := make([]int64, 0, len(changes)), make([]int64, 0, len(changes))
		for i := range changes {
			all = append(all, changes[i].Row)
			if d.Export == nil || changes[i].Table == d.Export.Table {
				own = append(own, changes[i].Row)
			}
		}
		created, updated := countMissing(r.created, own), countMissing(r.updated, all)
		if len(own) == 0 {
			created += r.createdTogether
		}
		if created+updated > 0 {
			return fmt.Errorf("import type %s: the tables have not recorded the changes of %d created and %d updated rows: call capture_changes_of in a migration", d.Name, created, updated)
		}
		return nil
	}
}

// countMissing returns how many of the reported rows have no change. It sorts both.
func countMissing(reported, changed []int64) (missing int) {
	slices.Sort(reported)
	slices.Sort(changed)
	for _, row := range reported {
		at, found := slices.BinarySearch(changed, row)
		changed = changed[at:]
		if !found {
			missing++
		}
	}
	return missing
}
