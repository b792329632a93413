package erasure

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/loadbay/loadbay/shared/changes/entitytable"
	"github.com/loadbay/loadbay/shared/entity"
)

// Tables lists where entities hold data of persons. It is derived from the declarations of the
// import types.
type Tables struct {
	// Owned are the tables with entities of persons: entity.PersonTable first, and each other one
	// after the table of its owner.
	Owned []Table
	// Lists are the tables to which cells add texts.
	Lists []List
	// Keys are the columns of entity.PersonTable with values that identify a person in a request.
	Keys []string
	// Declared are the organisation's own tables with personal fields.
	Declared []DeclaredTable
}

// DeclaredTable is a table of an organisation's own. Its rows belong to another application, so an
// erasure empties their personal columns instead of deleting them.
type DeclaredTable struct {
	Table
	*entitytable.Personal
}

// Table is a table with entities of persons.
type Table struct {
	Name   string
	Owner  entity.Owner // zero for entity.PersonTable
	Values []Column     // with values that are searched for
}

// Column is a column with personal values.
type Column struct {
	Name  string
	Array bool // an array of texts
}

// List is a table to which cells add texts, with the columns that refer to one.
type List struct {
	Table, Column string
	References    []Reference
}

// Reference is a table with columns that refer to a text of a list.
type Reference struct {
	Table   string
	Columns []string
}

// TablesOf returns the tables of import types. It returns an error if a personal field is stored
// where an erasure would not find it.
func TablesOf(types []entity.Type) (*Tables, error) {
	owners := map[string]entity.Owner{entity.PersonTable: {}}
	for _, t := range types {
		if d := t.Declaration(); d.Owner != nil {
			if d.Export == nil {
				return nil, fmt.Errorf("import type %s has an owner and no table: declare its Export", d.Name)
			}
			owners[d.Export.Table] = *d.Owner
		}
	}
	tables, err := sortByOwner(owners)
	if err != nil {
		return nil, err
	}
	var faults []error
	for _, t := range types {
		d := t.Declaration()
		for i := range d.Fields {
			faults = append(faults, tables.add(d, &d.Fields[i]))
		}
	}
	return tables, errors.Join(faults...)
}

// sortByOwner returns the tables, each after the table of its owner.
func sortByOwner(owners map[string]entity.Owner) (*Tables, error) {
	t := &Tables{Owned: []Table{{Name: entity.PersonTable}}}
	delete(owners, entity.PersonTable)
	for len(owners) > 0 {
		var next []Table
		for name, owner := range owners {
			if t.table(owner.Table) != nil {
				next = append(next, Table{Name: name, Owner: owner})
				delete(owners, name)
			}
		}
		if len(next) == 0 {
			return nil, fmt.Errorf("the owners of %v do not lead to %s", owners, entity.PersonTable)
		}
		slices.SortFunc(next, func(a, b Table) int { return strings.Compare(a.Name, b.Name) })
		t.Owned = append(t.Owned, next...)
	}
	return t, nil
}

// add adds the column of a field, if it is personal, and the list that it adds to.
func (t *Tables) add(d *entity.Declaration, f *entity.Field) error {
	if f.Lookup != nil && f.Lookup.List != nil {
		t.addList(d.Export.Table, f.Lookup.List)
	}
	if !f.Personal {
		return nil
	}
	name := f.Table
	switch {
	case name == "" && d.Export != nil && f.Expr == "":
		name = d.Export.Table
	case name == "":
		return fmt.Errorf("personal field %s of import type %s has no column: declare its Table", f.Name, d.Name)
	}
	table := t.table(name)
	if table == nil {
		return fmt.Errorf("personal field %s of import type %s belongs to no person: declare the Owner of the type", f.Name, d.Name)
	}
	if !f.Kind.Distinctive() {
		return nil
	}
	if !slices.ContainsFunc(table.Values, func(c Column) bool { return c.Name == f.Column }) {
		table.Values = append(table.Values, Column{Name: f.Column, Array: f.Kind == entity.TextList})
	}
	if name == entity.PersonTable && f.Identifying && !slices.Contains(t.Keys, f.Column) {
		t.Keys = append(t.Keys, f.Column)
	}
	return nil
}

func (t *Tables) addList(table string, from *entity.List) {
	i := slices.IndexFunc(t.Lists, func(l List) bool { return l.Table == from.Table && l.Column == from.Column })
	if i < 0 {
		i, t.Lists = len(t.Lists), append(t.Lists, List{Table: from.Table, Column: from.Column})
	}
	l := &t.Lists[i]
	if n := slices.IndexFunc(l.References, func(r Reference) bool { return r.Table == table }); n >= 0 {
		l.References[n].Columns = append(l.References[n].Columns, from.Reference)
		return
	}
	l.References = append(l.References, Reference{table, []string{from.Reference}})
}

// table returns a table with entities of persons, or nil.
func (t *Tables) table(name string) *Table {
	for i := range t.Owned {
		if t.Owned[i].Name == name {
			return &t.Owned[i]
		}
	}
	return nil
}

// OwnerOf returns the owner of the entities of a table; zero for entity.PersonTable.
func (t *Tables) OwnerOf(name string) (o entity.Owner) {
	if table := t.table(name); table != nil {
		o = table.Owner
	}
	return o
}

// isListText reports whether a column contains the texts of a list.
func (t *Tables) isListText(table, column string) bool {
	return slices.ContainsFunc(t.Lists, func(l List) bool { return l.Table == table && l.Column == column })
}

// Names returns the names of all tables.
func (t *Tables) Names() (names []string) {
	for i := range t.Owned {
		names = append(names, t.Owned[i].Name)
	}
	for _, l := range t.Lists {
		names = append(names, l.Table)
	}
	for i := range t.Declared {
		names = append(names, t.Declared[i].Name)
	}
	return names
}

// personalValues returns the personal values in a value of a column, which is in the format of
// Postgres.
func (t *Table) personalValues(column, value string) []string {
	i := slices.IndexFunc(t.Values, func(c Column) bool { return c.Name == column })
	switch {
	case i < 0:
		return nil
	case !t.Values[i].Array:
		return []string{value}
	}
	var texts []string
	if err := pgtype.NewMap().Scan(pgtype.TextArrayOID, pgtype.TextFormatCode, []byte(value), &texts); err != nil {
		return []string{value}
	}
	return texts
}
