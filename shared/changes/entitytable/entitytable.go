// Package entitytable describes the tables with captured changes, and the entities in them
// that plans, undos and the history read and write.
//
// Tested by shared/postgres and shared/step: with every captured table.
package entitytable

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
)

// Table is a table with captured changes, as currently described by the database: migrations may
// have changed it.
type Table struct {
	Name       string   // in change sets: schema.table for a declared table
	Identity   []Column // which identify a row
	Columns    []Column // without the organisation and the source columns
	Sources    []string // columns that record the writer of an entity
	References []Reference
	// Referred reports that rows may be referred to by others that cannot be read.
	Referred bool
	Declared *Declared // nil for a table of Loadbay's own
}

// Column is a column of a table.
type Column struct {
	Name, Type string // the type without modifier: values are assigned, never cast to a length
	Generated  bool   // computed from other columns, and never written
	Equals     string // SQL operator by which values are equal; "" is =
	// Unhashable and Incomparable values are hashed and compared as texts.
	Unhashable, Incomparable bool
}

// Reference is a foreign key that prevents deleting an entity of the table: in a declared table any,
// because deleting an entity must not delete or change the rows that refer to it.
type Reference struct {
	Table    string   // of the referring rows, as written in SQL
	From, To []string // columns of the referring and of the referenced table
}

// Column returns the column with that name, or nil.
func (t *Table) Column(name string) *Column {
	i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &t.Columns[i]
}

// Kind returns the type of a column; "" if the table does not have it.
func (t *Table) Kind(column string) string {
	if c := t.Column(column); c != nil {
		return c.Type
	}
	return ""
}

// Derived reports whether a column is generated from others and is never written.
func (t *Table) Derived(column string) bool {
	c := t.Column(column)
	return c != nil && c.Generated
}

// HasSource reports whether entities record the job and row that last wrote them.
func (t *Table) HasSource() bool { return len(t.Sources) > 0 }

// Existing returns those of the columns that the table has.
func (t *Table) Existing(columns []string) (names []string) {
	for _, name := range columns {
		if t.Column(name) != nil {
			names = append(names, name)
		}
	}
	return names
}

// ErrNotWritten reports that the database has accepted a statement about a declared table without writing
// all of its rows: a trigger or a policy of the table left some out.
var ErrNotWritten = errors.New("the table has not written all rows")

// ErrKeyTaken reports that a row that was written has a key of another one. No index guarantees the key, so
// the database has accepted it.
var ErrKeyTaken = errors.New("another row has the key")

// Store describes tables as they are now.
type Store interface {
	EntityTable(ctx context.Context, tx pgx.Tx, name string) (*Table, error)
	DeclaredTable(ctx context.Context, tx pgx.Tx, declared *Table) (*Table, error)
}

// Describer types describe the table of their declaration.
type Describer interface {
	// EntityTable returns the table with a name in change sets, or nil if it is another table.
	EntityTable(name string) *Table
}

// Find returns the table with a name in change sets, as it is now; nil if it does not exist or its
// changes are not captured. kind is the import type that has changed it.
func Find(ctx context.Context, tx pgx.Tx, store Store, kind any, name string) (*Table, error) {
	if d, ok := kind.(Describer); ok {
		if t := d.EntityTable(name); t != nil {
			return store.DeclaredTable(ctx, tx, t)
		}
	}
	return store.EntityTable(ctx, tx, name)
}

// Row is an entity to write.
type Row struct {
	ID     string
	Row    int64     // of the job
	Values []*string // of the columns to write
}

// Entity is the current state of an entity. Its values are texts in the format of Postgres,
// nil for NULL, of the columns that change sets contain.
type Entity struct {
	Table, ID string
	Declared  *Table  // nil for a table of Loadbay's own
	SourceJob job.Key // last job that wrote it; 0 if it was no import
	SourceRow int64
	// SourceCells are the rows from which its fields' values come, by the field's index in its
	// type, if that row differs from SourceRow; 0 for no information.
	SourceCells []int64
	Columns     []string
	Values      []*string
}
