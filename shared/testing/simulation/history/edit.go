package history

// Set is an edit by somebody who is no import.
func (w *Model) Set(e *Entity, column, value string) {
	if e.Value(column) != value {
		e.addLayer(nil, column, value)
	}
}

// Insert makes an entity that no import has made.
func (w *Model) Insert(table string, given map[string]string) *Entity {
	return w.add(nil, w.tables[table], given)
}

// Table is that of the entity.
func (e *Entity) Table() *Table { return e.table }

// Delete removes an entity that nothing refers to.
func (w *Model) Delete(e *Entity) { e.exists = false }

// IsFree reports whether no other entity has the value, if it may be there once.
func (w *Model) IsFree(e *Entity, column, value string) bool {
	if !e.table.column(column).Unique {
		return true
	}
	h := w.holder(e.table, column, value)
	return h == nil || h == e
}
