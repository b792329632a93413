package history

// Null is the value of a column that has none.
const Null = "NULL"

// Table is a table of the world, and the import type that writes it.
type Table struct {
	Name, Type string
	Columns    []Column
}

// Column is a column of a table. The first of a table is its id.
type Column struct {
	Name   string
	Header string // in files; "" for one that no file has
	// Default is what a new entity has where nothing is given.
	Default string
	// Unique says that no two entities have the same value.
	Unique bool
	// Parent is the table whose ids the column holds, or "".
	Parent string
	// Required says that every row of a file gives a value.
	Required bool
	// Clock says that the database gives the value, a time: when the entity was made or,
	// with Touched, changed. Which, is seen and not foretold.
	Timestamp, OnUpdate bool
	// Drawn says that the database gives the value, an id that nobody can foretell; Natural,
	// that entities whose ids are not known yet are found by the column.
	Generated, Natural bool
	// Edited says that people edit it although no file of its own has it.
	Edited bool
}

// Tables are those of the world, parents first.
func Tables() []*Table {
	return append([]*Table{
		{Name: "users", Type: "USER", Columns: []Column{
			{Name: "id", Header: "ID", Unique: true, Required: true},
			{Name: "email", Header: "Email", Unique: true, Required: true},
			{Name: "name", Header: "Name", Required: true},
			{Name: "role", Header: "Role", Default: "user"},
			{Name: "active", Header: "Active", Default: "t"},
			{Name: "created_at", Timestamp: true},
			{Name: "updated_at", Timestamp: true, OnUpdate: true},
		}},
		{Name: "articles", Type: "ARTICLE", Columns: []Column{
			{Name: "id", Header: "ID", Unique: true, Required: true},
			{Name: "slug", Header: "Slug", Unique: true, Required: true},
			{Name: "title", Header: "Title", Required: true},
			{Name: "description", Header: "Description", Default: Null},
			{Name: "body", Header: "Body", Required: true},
			{Name: "author_id", Header: "Author id", Required: true, Parent: "users"},
			{Name: "tags", Default: "{}"},
			{Name: "published_at", Default: Null},
			{Name: "status", Header: "Status", Default: "draft"},
			{Name: "created_at", Timestamp: true},
			{Name: "updated_at", Timestamp: true, OnUpdate: true},
		}},
	}, memberTables()...)
}

func (t *Table) column(name string) *Column {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	return nil
}
