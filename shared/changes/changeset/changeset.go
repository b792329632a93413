// Package changeset is what an import has changed: of every entity that it wrote, the
// fields that have another value now, with both values. Plans, undo, history and blame
// read it.
//
// A set is kept in parts, each of which is encoded by itself: whoever pages through the
// changes of a large import decodes only the parts that are shown.
//
// Change sets hold the values of cells: they are never logged.
package changeset

// Op is what was done to an entity.
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

// Change is what became of one entity in one transaction of an import.
type Change struct {
	Row   int64  // that wrote it, as its number in the file; 0 where no single row did
	Table string // of the database
	ID    string // of the entity, as text
	Op    Op
	// Columns are those that have another value now, as the table calls them. A deleted
	// entity has all of its columns; a created one has them only if its values were asked
	// for. An update without columns changed nothing but who wrote the entity last.
	Columns []string
	// Before and After are the columns' values, as texts that Postgres writes and reads;
	// nil is NULL. A created entity has no Before, a deleted one no After.
	Before, After []*string
	// PrevJob and PrevRow are the entity's source before: where its history goes on.
	// 0 is none.
	PrevJob, PrevRow int64
	// Hash is, of a created entity, that of all it got, defaults included: as long as it
	// stays the same, nobody has touched the entity. Hashed are the columns that it is of,
	// in their order: a column that the table gets later has no part in it.
	Hash   int64
	Hashed []string
}

// keptChangesTable is the table of what undos have kept. Undos change it, and take its changes back,
// as those of entities; it holds none.
const keptChangesTable = "kept_changes"

// IsInternal reports whether the change is of no entity, but of what an undo has noted.
func (c *Change) IsInternal() bool { return c.Table == keptChangesTable }

// Counts are how many entities were changed, by operation.
type Counts struct{ Created, Updated, Deleted int }

// Count counts changes of entities.
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

// RowRange returns the least and the largest number of a row that made one of the changes; 0
// where none did.
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
