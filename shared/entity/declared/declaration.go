// Package declared holds import types that are data: a declaration names a table of a customer's
// own and describes how files are imported into it. It contains no SQL.
package declared

// Declaration is a type as its author writes it, in YAML or JSON. Unknown keys are errors.
type Declaration struct {
	Loadbay  string   `json:"loadbay" yaml:"loadbay"`                       // Version1
	Name     string   `json:"name" yaml:"name"`                             // ^[A-Z][A-Z0-9_]{0,62}$
	Title    string   `json:"title" yaml:"title"`                           // for people: "Accounts"
	Subjects []string `json:"subjects,omitempty" yaml:"subjects,omitempty"` // words for the subject of a row
	Target   Target   `json:"target" yaml:"target"`
	Tenant   Tenant   `json:"tenant" yaml:"tenant"`
	// Identity lists the columns by which undo and history identify a row: its primary key, or a
	// unique index without NULLs.
	Identity []string `json:"identity" yaml:"identity"`
	// Keys are listed in the order in which an upsert identifies rows.
	Keys  []Key    `json:"keys" yaml:"keys"`
	Modes []string `json:"modes,omitempty" yaml:"modes,omitempty"` // insert, upsert, update; the first is the default
	// Deleted marks rows that count as deleted; nil if the table does not have such a column.
	Deleted *Deleted `json:"deleted,omitempty" yaml:"deleted,omitempty"`
	Touched []string `json:"touched,omitempty" yaml:"touched,omitempty"` // columns that an update sets to now()
	Person  *Person  `json:"person,omitempty" yaml:"person,omitempty"`
	Capture Capture  `json:"capture,omitempty" yaml:"capture,omitempty"` // the default is CaptureReturning
	Fields  []Field  `json:"fields" yaml:"fields"`
	Rules   []Rule   `json:"rules,omitempty" yaml:"rules,omitempty"`
	// Messages are sentences for people about violations of the table's own constraints, by the
	// constraint's name.
	Messages map[string]string `json:"messages,omitempty" yaml:"messages,omitempty"`
	OnDrift  OnDrift           `json:"onDrift,omitzero" yaml:"onDrift,omitempty"`
}

// Version1 is the only version of the format.
const Version1 = "type/1"

// Target is the table that rows are written to.
type Target struct {
	Database  string `json:"database,omitempty" yaml:"database,omitempty"`   // name of a target; "" is Loadbay's own database
	Table     string `json:"table" yaml:"table"`                             // schema.table, each part as in the catalogue
	Catalogue string `json:"catalogue,omitempty" yaml:"catalogue,omitempty"` // fingerprint of the adopted table: pgtable.Table.Fingerprint
}

// Tenant says which rows of the table belong to an organisation: all, those with a value in a column, or
// those that the table's own policies show with some settings. A column and settings can be combined.
type Tenant struct {
	None    bool              `json:"none,omitempty" yaml:"none,omitempty"`       // one organisation uses the table
	Column  string            `json:"column,omitempty" yaml:"column,omitempty"`   // a column holds Value
	Value   string            `json:"value,omitempty" yaml:"value,omitempty"`     // with Column: "organisation" (its id), or a constant
	Session map[string]string `json:"session,omitempty" yaml:"session,omitempty"` // settings for the table's own policies, such as app.tenant_id: organisation
}

// ValueOrganisation is the Value of a tenant column that holds the organisation's id.
const ValueOrganisation = "organisation"

// Key identifies rows of the table by fields.
type Key struct {
	Name   string   `json:"name" yaml:"name"`
	Fields []string `json:"fields" yaml:"fields"`
	// Index is the unique index or constraint that guarantees the key, or NoIndex: chunks then look
	// rows up under a lock.
	Index string `json:"index" yaml:"index"`
}

// NoIndex is the Index of a key that no unique index guarantees.
const NoIndex = "none"

// Deleted describes the column that marks deleted rows.
type Deleted struct {
	Column string       `json:"column" yaml:"column"` // NULL, or false, for rows that exist
	Again  DeletedAgain `json:"again" yaml:"again"`
}

// DeletedAgain says what happens to a row of the file with the key of a deleted row.
type DeletedAgain string

// The values of DeletedAgain.
const (
	Revive     DeletedAgain = "revive" // update the deleted row, and mark it as existing
	AgainError DeletedAgain = "error"
	AgainNew   DeletedAgain = "new" // create another row
)

// Person says that a row is about a person, for erasure.
type Person struct {
	Key string `json:"key" yaml:"key"` // the field with the person's e-mail address or number
}

// Capture is how changes are recorded, which plans, undo and history need.
type Capture string

// The values of Capture.
const (
	CaptureReturning Capture = "returning" // by look-up and RETURNING; needs no trigger
	CaptureOff       Capture = "off"       // imports cannot be planned or undone
)

// Field is a target for a column of a file.
type Field struct {
	Name         string            `json:"name" yaml:"name"`                             // ^[A-Z][A-Z0-9_]{0,62}$
	Column       string            `json:"column" yaml:"column"`                         // as in the catalogue
	Title        string            `json:"title,omitempty" yaml:"title,omitempty"`       // header in templates; the default follows from Column
	Titles       map[string]Texts  `json:"titles,omitempty" yaml:"titles,omitempty"`     // one or several in other languages, by their codes: de, fr
	Kind         string            `json:"kind,omitempty" yaml:"kind,omitempty"`         // text, email, enum, uuid, integer, decimal, boolean, date, timestamp, json, textList; the default follows from the column
	Aliases      []string          `json:"aliases,omitempty" yaml:"aliases,omitempty"`   // other headers
	Concepts     []string          `json:"concepts,omitempty" yaml:"concepts,omitempty"` // what the field means, the main one first: person.givenName, receiver:address.city; see docs/concepts.md
	Synonyms     map[string]string `json:"synonyms,omitempty" yaml:"synonyms,omitempty"` // word: value of an enum
	Required     bool              `json:"required,omitempty" yaml:"required,omitempty"`
	Identifying  bool              `json:"identifying,omitempty" yaml:"identifying,omitempty"`
	Personal     bool              `json:"personal,omitempty" yaml:"personal,omitempty"`
	Unit         string            `json:"unit,omitempty" yaml:"unit,omitempty"`
	Placeholders []string          `json:"placeholders,omitempty" yaml:"placeholders,omitempty"` // placeholders that are values
	Rounding     string            `json:"rounding,omitempty" yaml:"rounding,omitempty"`         // refuse (default), warn, halfUp
	MaxLength    int               `json:"maxLength,omitempty" yaml:"maxLength,omitempty"`       // smaller than the column's
	Pattern      string            `json:"pattern,omitempty" yaml:"pattern,omitempty"`
	PatternHint  string            `json:"patternHint,omitempty" yaml:"patternHint,omitempty"`
	Min          string            `json:"min,omitempty" yaml:"min,omitempty"`
	Max          string            `json:"max,omitempty" yaml:"max,omitempty"`
	Zone         string            `json:"zone,omitempty" yaml:"zone,omitempty"`           // of a timestamp without time zone
	Separator    string            `json:"separator,omitempty" yaml:"separator,omitempty"` // of a textList
	Default      *string           `json:"default,omitempty" yaml:"default,omitempty"`     // constant, as in a cell; nil leaves it to the table
	Empty        string            `json:"empty,omitempty" yaml:"empty,omitempty"`         // keep (default of optional fields) or null: what an empty cell does to an existing value
	Reference    *Reference        `json:"reference,omitempty" yaml:"reference,omitempty"`
	Computed     string            `json:"computed,omitempty" yaml:"computed,omitempty"` // CEL over other fields; no column of a file maps to it
}

// Reference says how texts are resolved to rows of another table.
type Reference struct {
	Table  string     `json:"table" yaml:"table"`                       // schema.table
	Column string     `json:"column,omitempty" yaml:"column,omitempty"` // whose value is written; the default is that of the foreign key
	By     [][]string `json:"by" yaml:"by"`                             // natural keys, the first that matches wins; each lists columns of Table
	Within string     `json:"within,omitempty" yaml:"within,omitempty"` // column of Table that holds the tenant
	Self   bool       `json:"self,omitempty" yaml:"self,omitempty"`     // rows of the same file can be referred to
	Create string     `json:"create,omitempty" yaml:"create,omitempty"` // never (default)
}

// Rule is a condition on the values of a row.
type Rule struct {
	Check   string `json:"check" yaml:"check"` // CEL; a row for which it is false is an error
	Field   string `json:"field" yaml:"field"`
	Message string `json:"message" yaml:"message"`
}

// OnDrift says what imports do when the table has changed since it was adopted: each value is
// Hold, Tell or Ignore. A value that is missing has the default in brackets.
type OnDrift struct {
	ColumnAdded    Reaction `json:"columnAdded,omitempty" yaml:"columnAdded,omitempty"`       // [ignore]
	ColumnRequired Reaction `json:"columnRequired,omitempty" yaml:"columnRequired,omitempty"` // [hold]
	ColumnGone     Reaction `json:"columnGone,omitempty" yaml:"columnGone,omitempty"`         // [hold]
	TypeChanged    Reaction `json:"typeChanged,omitempty" yaml:"typeChanged,omitempty"`       // [hold]
	KeyChanged     Reaction `json:"keyChanged,omitempty" yaml:"keyChanged,omitempty"`         // [hold]
	CheckChanged   Reaction `json:"checkChanged,omitempty" yaml:"checkChanged,omitempty"`     // [tell]
}

// Reaction is what an import does about a change of the table.
type Reaction string

// The reactions.
const (
	Hold   Reaction = "hold" // wait until the type is adopted again
	Tell   Reaction = "tell" // continue with a warning
	Ignore Reaction = "ignore"
)
