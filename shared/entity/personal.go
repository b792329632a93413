package entity

// Owner specifies that entities belong to another entity: a person, or one that belongs to a person.
// Their table has source_job and source_row. Erasing the person deletes them.
type Owner struct {
	Column string // column with the id of the owner
	Table  string // table of the owner: PersonTable, or Export.Table of a type with an owner
}

// List is a table to which a type adds the texts of cells. An erasure deletes the texts with data of
// the person that no entity refers to any more.
type List struct {
	Table, Column string // where the texts are
	Reference     string // column of Export.Table with the id of a text
}

// Distinctive reports whether the values of the kind can tell persons apart. An erasure searches for
// the others only in the person's own entities and rows: everybody's gender is one of three words.
func (k Kind) Distinctive() bool { return k != Enum && k != Boolean && k != Reference }
