// Package entitytable describes the tables whose changes are captured, and the entities in them
// that plans, undos and the history read and write.
//
// Tested by shared/postgres and shared/step: with every captured table.
package entitytable

import (
	"slices"

	"github.com/loadbay/loadbay/shared/job"
)

// Table is a table with captured changes, as currently described by the database: migrations may
// have changed it.
type Table struct {
	Name       string
	IDType     string   // of its ids, in the notation of Postgres
	Columns    []Column // without the organisation and the source columns
	Sources    []string // columns that record the writer of an entity
	References []Reference
}

// Column is a column of a table.
type Column struct {
	Name, Type string
	Generated  bool // computed from other columns, and never written
}

// Reference is a foreign key that prevents deleting an entity of the table.
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
	SourceJob job.Key // last job that wrote it; 0 if it was no import
	SourceRow int64
	// SourceCells are the rows from which its fields' values come, by the field's index in its
	// type, if that row differs from SourceRow; 0 for no information.
	SourceCells []int64
	Columns     []string
	Values      []*string
}
