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

// Reported counts the rows of which a type has reported that it wrote them, and whose changes must
// therefore have been captured.
type Reported struct{ created, updated int }

// Add adds the results of a batch. It leaves out rows whose write may have changed nothing: a row
// about the same entity as another one of the file may come after it, and repeat its values; or it
// may take over the entity that a later row has created.
func (r *Reported) Add(b *entity.Batch) {
	if len(b.Displaced) > 0 {
		return
	}
	for i := range b.Results {
		switch b.Results[i].Outcome {
		case rowwrite.Created:
			r.created++
		case rowwrite.Updated:
			if !b.DuplicateKeys.Has(b.Row(i)) {
				r.updated++
			}
		}
	}
}

// Check returns an error if rows were reported as written and no change of theirs was captured:
// without it, a plan would write nothing, and an undo would leave everything.
func (r *Reported) Check(d *entity.Declaration) Check {
	return func(changes []changeset.Change) error {
		isOwn := func(c changeset.Change) bool { return d.Export == nil || c.Table == d.Export.Table }
		switch {
		case r.created > 0 && !slices.ContainsFunc(changes, isOwn):
			return fmt.Errorf("import type %s reports %d created rows, but the tables of the type recorded none: call capture_changes_of in a migration", d.Name, r.created)
		case r.updated > 0 && len(changes) == 0:
			return fmt.Errorf("import type %s reports %d updated rows, but the tables of the type recorded none: call capture_changes_of in a migration", d.Name, r.updated)
		}
		return nil
	}
}
