package history

// Set is an edit outside all imports.
func (w *Model) Set(e *Entity, column, value string) {
	if e.Value(column) != value {
		e.addLayer(nil, column, value)
	}
}

// Insert inserts an entity outside all imports.
func (w *Model) Insert(table string, given map[string]string) *Entity {
	return w.add(nil, w.tables[table], given)
}

// Table returns the entity's table.
func (e *Entity) Table() *Table { return e.table }

// Delete deletes an entity without references to it.
func (w *Model) Delete(e *Entity) { e.exists = false }

// IsFree reports whether no other entity has the value, if the column is unique.
func (w *Model) IsFree(e *Entity, column, value string) bool {
	if !e.table.column(column).Unique {
		return true
	}
	h := w.holder(e.table, column, value)
	return h == nil || h == e
}
