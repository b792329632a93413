// Package changeset represents the changes of an import: for every entity that it wrote, the
// changed fields, with the value before and after. Plans, undo, history and
// blame read change sets.
//
// A set is stored in parts that are encoded independently, so paging through the changes of
// a large import decodes only the parts shown.
//
// Change sets contain cell values: they are never logged.
package changeset

import "slices"

// Op is the operation on an entity.
type Op byte

// The operations. Their numbers are stored.
const (
	Created Op = 1
	Updated Op = 2
	Deleted Op = 3
)

// String returns the operation's name on the wire.
func (o Op) String() string {
	switch o {
	case Created:
		return "CREATED"
	case Updated:
		return "UPDATED"
	case Deleted:
		return "DELETED"
	default:
		return "UNKNOWN"
	}
}

// Change is the change of one entity in one transaction of an import.
type Change struct {
	Row   int64  // number in the file of the row that wrote it; 0 where no single row did
	Table string // database table
	ID    string // id of the entity, as text
	Op    Op
	// Columns lists the changed columns, by their names in the table. A deleted
	// entity lists all of its columns; a created entity lists them only if its values were
	// requested. An update without columns changed only the source of the entity.
	Columns []string
	// Before and After are the columns' values, as text in the format of Postgres; nil is NULL. A
	// created entity has no Before, a deleted entity no After.
	Before, After []*string
	// PrevJob and PrevRow are the previous source of the entity, where its history continues.
	// 0 means none.
	PrevJob, PrevRow int64
	// Hash is the hash of all values of a created entity, including defaults: the entity is
	// unmodified as long as its hash is the same. Hashed lists the columns in the order
	// in which they are hashed; columns that are added to the table later are not included.
	Hash   int64
	Hashed []string
}

// EqualText reports whether two values of a column are equal; nil is NULL, which equals itself.
func EqualText(a, b *string) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

// keptChangesTable is the table in which undos record the values that they kept. Undos change
// and revert its rows like those of entities, but it contains no entities.
const keptChangesTable = "kept_changes"

// IsInternal reports whether the change is a note of an undo instead of a change of an entity.
func (c *Change) IsInternal() bool { return c.Table == keptChangesTable }

// Value returns the value of a column after the change, or before the deletion, and false if it is
// unknown or NULL.
func (c *Change) Value(column string) (string, bool) {
	values := c.After
	if c.Op == Deleted {
		values = c.Before
	}
	i := slices.Index(c.Columns, column)
	if i < 0 || i >= len(values) || values[i] == nil {
		return "", false
	}
	return *values[i], true
}

// Counts holds the number of changed entities by operation.
type Counts struct{ Created, Updated, Deleted int }

// Count counts the changes of entities.
func Count(changes []Change) (c Counts) {
	for i := range changes {
		if changes[i].IsInternal() {
			continue
		}
		c.add(changes[i].Op)
	}
	return c
}

func (c *Counts) add(o Op) {
	switch o {
	case Created:
		c.Created++
	case Updated:
		c.Updated++
	case Deleted:
		c.Deleted++
	}
}

// RowRange returns the smallest and the largest number of a row that made one of the changes;
// 0 if no row did.
func RowRange(changes []Change) (first, last int64) {
	for i := range changes {
		if row := changes[i].Row; row != 0 {
			if first == 0 || row < first {
				first = row
			}
			last = max(last, row)
		}
	}
	return first, last
}
