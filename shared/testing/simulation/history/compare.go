package history

import (
	"fmt"
	"slices"
)

// Snapshot is what the database holds: by entity, the values by column.
type Snapshot map[Key]map[string]string

// Compare says what of it is not as the model has it. Times that the database gives are
// taken from it where by, who may have written the entity just now, can have set them.
func (w *Model) Compare(seen Snapshot, by *Job) []string {
	w.resolveIDs(seen)
	var found []string
	for _, e := range w.Entities() {
		row, ok := seen[e.Key]
		if !ok {
			found = append(found, fmt.Sprintf("it lacks %s", e))
			continue
		}
		for i := range e.table.Columns {
			c := &e.table.Columns[i]
			if c.Timestamp {
				e.adoptTime(c, row[c.Name], by)
			}
			if row[c.Name] != e.Value(c.Name) {
				found = append(found, fmt.Sprintf("%s is %q, not %q, of %s", c.Name, row[c.Name], e.Value(c.Name), e))
			}
		}
	}
	for key := range seen {
		if w.Get(key) == nil {
			found = append(found, fmt.Sprintf("it has %s %s: %v, which should not be there", key.Table, key.ID, seen[key]))
		}
	}
	slices.Sort(found)
	return found
}

// adoptTime takes over a time that by may have set, or that of a new entity. An undo sets none
// but those that were there before.
func (e *Entity) adoptTime(c *Column, value string, by *Job) {
	known := len(e.fields[c.Name]) > 0
	if known && (!c.OnUpdate || by == nil || by.isUndo || e.Value(c.Name) == value || e.writer != by && !by.touched(e)) {
		return
	}
	if by.currentEffect(e) == nil {
		by = nil
	}
	e.addLayer(by, c.Name, value)
}
