// Package pgtable describes a table as Postgres's system catalogue does: what adoption proposes,
// what a declared type is compiled against, and what each chunk compares before it writes.
package pgtable

// Table is a table, or a relation that is none: see Kind. Its texts do not depend on settings of the
// session: names outside pg_catalog are qualified, and times are in UTC.
type Table struct {
	Schema, Name string
	OID          uint32
	Kind         Kind
	Partitioned  bool
	Partition    bool // of another table
	// Inherited reports that another table inherits from this one, so that its keys do not cover all
	// rows that a query returns.
	Inherited bool
	Comment   string
	Rows      int64    // an estimate; -1 if Postgres has none
	Columns   []Column // in the table's order, without dropped ones
	// Unique lists the valid unique indexes and constraints, the primary key first.
	Unique      []Index
	Exclusions  []Check // exclusion constraints
	Checks      []Check
	ForeignKeys []ForeignKey // of this table
	// References are those of other tables, or this one, to this table, when it was read. The
	// fingerprint does not contain them: undo reads them again.
	References []ForeignKey
	Triggers   []Trigger // of its users, without internal ones
	Rules      []string  // names
	// RowSecurity reports that policies apply to the current role.
	RowSecurity bool
	// RowSecurityEnabled and RowSecurityForced are the table's settings, whatever the role.
	RowSecurityEnabled, RowSecurityForced bool
	Policies                              []Policy
	Owned                                 bool // the current role is the owner, or a member of it
	// Usage, Delete and Trigger are privileges of the current role: USAGE of the schema, and DELETE
	// and TRIGGER on the table. Columns have the others.
	Usage, Delete, Trigger bool
}

// Kind is the kind of a relation.
type Kind string

// The kinds. Only TableKind can be adopted.
const (
	TableKind        Kind = "table" // ordinary or partitioned
	View             Kind = "view"
	MaterializedView Kind = "materialized view"
	ForeignTable     Kind = "foreign table"
	OtherKind        Kind = "other"
)

// Column is a column of a table.
type Column struct {
	Name, Comment string
	Number        int16  // attnum
	Type          string // as written in SQL, with its modifier: "numeric(12,2)"
	// Base is the type without modifier, and without domain: "numeric", "text", "crm.status".
	Base string
	// Element is the Base of an array's elements, or "".
	Element string
	// TypeKind is pg_type.typtype of Base: "b" for base types and arrays, "e" for enums, "r" for
	// ranges, "m" for multiranges, "c" for composite types.
	TypeKind     string
	Domain       string   // "" if the type is no domain
	DomainChecks []Check  // of the domain, and of those that it is based on; VALUE is the value
	MaxLength    int      // of varchar(n) and char(n); 0 for none
	Precision    int      // of numeric(p,s); 0 for none
	Scale        int      // of numeric(p,s)
	Fraction     int      // digits of seconds of time(n), timestamp(n) and timestamptz(n); -1 for none
	Labels       []string // of an enum, or of the elements of an array of them
	Words        []string // that a CHECK (column IN (…)) allows
	NotNull      bool     // of the column or of its domain
	Default      string   // expression, also of the domain; "" for none, and for generated columns
	// Sequence is the sequence that Default reads, as written in SQL; "" for none. The current role
	// needs USAGE of it, which SequenceUsage reports.
	Sequence      string
	SequenceUsage bool
	Identity      string // "", "always" or "by default"
	Generated     bool   // computed by the table, never written
	Collation     string // if it is not the default of the type
	// Deterministic reports whether equal texts are equal bytes. It is false for citext and char(n)
	// too.
	Deterministic bool
	Hashable      bool // hash_record_extended accepts it
	Comparable    bool // it has an equality operator that IS DISTINCT FROM finds
	Insert        bool // the current role may write it in INSERT
	Update        bool // the current role may write it in UPDATE
	Select        bool
}

// Required reports whether an INSERT without the column fails.
func (c *Column) Required() bool {
	return c.NotNull && c.Default == "" && c.Identity == "" && !c.Generated
}

// Index is a unique index.
type Index struct {
	Name       string
	Constraint bool // a constraint has this name
	Primary    bool
	Columns    []IndexColumn // without INCLUDE columns
	Predicate  string        // of a partial index, as written in SQL; "" for none
	Deferrable bool          // cannot be the arbiter of ON CONFLICT
	// NullsDistinct reports whether any number of rows can have NULL.
	NullsDistinct bool
}

// IndexColumn is a column or an expression of an index.
type IndexColumn struct {
	Column     string   // "" for an expression
	Expression string   // as written in SQL: lower(email)
	Uses       []string // columns of Expression
	// Collation is that of the index if it is not the column's, as written in SQL.
	Collation     string
	Deterministic bool // of the index's collation; true if values have none
}

// Plain returns the columns of an index without expressions, and whether it has none.
func (x *Index) Plain() ([]string, bool) {
	columns := make([]string, len(x.Columns))
	for i := range x.Columns {
		if columns[i] = x.Columns[i].Column; columns[i] == "" {
			return nil, false
		}
	}
	return columns, true
}

// Check is a CHECK constraint, or an exclusion constraint.
type Check struct {
	Name       string
	Expression string // as written in SQL; of an exclusion constraint its definition
	Columns    []string
	Validated  bool
}

// ForeignKey is a foreign key.
type ForeignKey struct {
	Name          string
	Schema, Table string // of the other table
	From, To      []string
	OnDelete      string // "NO ACTION", "RESTRICT", "CASCADE", "SET NULL", "SET DEFAULT"
	Deferrable    bool
}

// Trigger is a trigger of the table's users.
type Trigger struct {
	Name     string
	Function string // schema.function, not quoted
	Language string
	// Trusted reports whether roles without special rights may write functions in Language.
	Trusted                bool
	Definition             string // the CREATE TRIGGER statement
	Before, Row            bool
	Insert, Update, Delete bool
	Enabled                bool
}

// Policy is a policy for row level security.
type Policy struct {
	Name, Command    string // ALL, SELECT, INSERT, UPDATE, DELETE
	Permissive       bool
	Roles            []string // empty for all
	Using, WithCheck string   // as written in SQL; "" for none
}

// Column returns the column with a name, or nil.
func (t *Table) Column(name string) *Column {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	return nil
}

// Index returns the unique index with a name, or nil.
func (t *Table) Index(name string) *Index {
	for i := range t.Unique {
		if t.Unique[i].Name == name {
			return &t.Unique[i]
		}
	}
	return nil
}
