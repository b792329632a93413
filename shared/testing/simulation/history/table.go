package history

// Null is the value of an empty column.
const Null = "NULL"

// Table is a table of the model, and the import type that writes it.
type Table struct {
	Name, Type string
	Columns    []Column
}

// Column is a column of a table. The first column of a table is its id.
type Column struct {
	Name   string
	Header string // in files; "" for a column without one
	// Default is the value of a new entity if none is given.
	Default string
	// Unique means that no two entities have the same value.
	Unique bool
	// Parent is the table that the column refers to, or "".
	Parent string
	// Required means that every row of a file has a value.
	Required bool
	// Timestamp means that the database sets the value to the time at which the entity was created or,
	// with OnUpdate, changed. The time is observed, not predicted.
	Timestamp, OnUpdate bool
	// Generated means that the database generates the value, an unpredictable id. Natural means that
	// the column identifies entities with unknown ids.
	Generated, Natural bool
	// Edited means that people edit the column although it has no column in files.
	Edited bool
}

// Tables returns the tables of the model, parents first.
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
