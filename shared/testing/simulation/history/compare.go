package history

import (
	"fmt"
	"slices"
)

// Seen is what the database holds: by entity, the values by column.
type Seen map[Key]map[string]string

// Compare says what of it is not as the model has it. Times that the database gives are
// taken from it where by, who may have written the entity just now, can have set them.
func (w *World) Compare(seen Seen, by *Job) []string {
	w.meet(seen)
	var found []string
	for _, e := range w.Entities() {
		row, ok := seen[e.Key]
		if !ok {
			found = append(found, fmt.Sprintf("it lacks %s", e))
			continue
		}
		for i := range e.table.Columns {
			c := &e.table.Columns[i]
			if c.Clock {
				e.look(c, row[c.Name], by)
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

// look takes over a time that by may have set, or that of a new entity. An undo sets none
// but those that were there before.
func (e *Entity) look(c *Column, value string, by *Job) {
	known := len(e.fields[c.Name]) > 0
	if known && (!c.Touched || by == nil || by.undoes || e.Value(c.Name) == value || e.writer != by && !by.has(e)) {
		return
	}
	if by.on(e) == nil {
		by = nil
	}
	e.give(by, c.Name, value)
}
