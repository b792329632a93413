// Package adopt drafts the declaration of an import type from a customer's own table, and lists what
// the table's owner has to decide and to grant.
package adopt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/mapping/content"
)

// Draft is a declaration that nobody has decided on yet.
type Draft struct {
	// Refusal is a sentence that says why the table cannot be adopted, and what else to do; the rest
	// is empty then. "" if it can.
	Refusal     string
	Declaration declared.Declaration
	Findings    []Finding
	// Grants are the SQL statements that the role of imports needs; Optional are those that the
	// table's owner may want to run. Loadbay runs neither.
	Grants, Optional []string
}

// Finding is something about a draft that a person should know.
type Finding struct {
	// MustDecide reports that Loadbay has guessed: a wrong guess imports wrong data.
	MustDecide bool
	Path       string // of the part of the declaration: "keys[0]", "tenant"; "" for the table
	Message    string
}

// Source is what a draft is made of: Read reads it.
type Source struct {
	Table *pgtable.Table
	// Referenced are the tables that foreign keys lead to, by Schema and Table.
	Referenced map[[2]string]*pgtable.Table
	Functions  map[string]string // source of the triggers' functions, by Trigger.Function
	Role       string            // of imports
	Granted    *Granted          // nil if the caller may use whole tables
	// Counts are the candidates for keys as counted in the data, in the order of candidates; nil if
	// the role may not read the table.
	Counts []Count
	// Samples describe the values of columns of texts, by their names; nil if the role may not read the
	// table.
	Samples map[string]*content.Summary
	// Reserved are names that types cannot have.
	Reserved []string
	Concepts mapping.Concepts // words for what fields mean; nil for none
}

// Count says how often a candidate's values occur.
type Count struct {
	Columns  []string
	Rows     int // all that were counted, at most maxCounted
	Missing  int // without a value in one of the columns
	Distinct int // combinations of values
}

func (c *Count) unique() bool { return c.Rows > 0 && c.Missing == 0 && c.Distinct == c.Rows }

// drafter collects the parts of a draft.
type drafter struct {
	*Source
	*Draft
	tenant  string          // column; "" for none
	skipped map[string]bool // columns that are no fields
	fields  map[string]string
}

// Adopt drafts the declaration of a table.
func Adopt(s *Source) Draft {
	d := &drafter{Source: s, Draft: &Draft{}, skipped: map[string]bool{}, fields: map[string]string{}}
	identity := identityOf(s.Table)
	if d.Refusal = refusal(s.Table, identity); d.Refusal != "" {
		return *d.Draft
	}
	d.Declaration = declared.Declaration{
		Loadbay: declared.Version1, Name: d.typeName(), Title: title(s.Table.Name, ""), Subjects: []string{subject(s.Table.Name)},
		Target:   declared.Target{Table: TableName(s.Table.Schema, s.Table.Name), Catalogue: s.Table.Fingerprint()},
		Identity: identity, Modes: []string{"upsert", "insert", "update"}, Capture: declared.CaptureReturning,
	}
	if s.Granted != nil && len(s.Granted.Modes) > 0 {
		d.Declaration.Modes = s.Granted.Modes
	}
	d.draftTenant()
	d.draftDeleted()
	d.draftTouched()
	d.draftFields()
	d.draftConcepts()
	d.draftKeys()
	if len(d.Declaration.Fields) == 0 {
		return Draft{Refusal: fmt.Sprintf("%s has no column that a file could fill.", TableName(s.Table.Schema, s.Table.Name))}
	}
	d.draftPerson()
	d.warn()
	d.grants()
	return *d.Draft
}

// TableName returns a table's name as declarations write it: a part with a dot is in quotes.
func TableName(schema, table string) string {
	parts := []string{schema, table}
	for i, part := range parts {
		if strings.Contains(part, ".") {
			parts[i] = `"` + part + `"`
		}
	}
	return strings.Join(parts, ".")
}

func (d *drafter) find(mustDecide bool, path, format string, args ...any) {
	d.Findings = append(d.Findings, Finding{MustDecide: mustDecide, Path: path, Message: fmt.Sprintf(format, args...)})
}

// typeName returns a name that is not reserved.
func (d *drafter) typeName() string {
	name := fieldName(d.Table.Schema + "_" + d.Table.Name)
	if short := fieldName(d.Table.Name); d.Table.Schema == "public" && !slices.Contains(d.Reserved, short) {
		name = short
	}
	return name
}

// identityOf returns the columns of the primary key, or of the first unique index by which each row
// can be identified; nil if there is none.
func identityOf(t *pgtable.Table) []string {
	for i := range t.Unique {
		columns, plain := t.Unique[i].Plain()
		if plain && t.Unique[i].Predicate == "" && !slices.ContainsFunc(columns, func(name string) bool { return !t.Column(name).NotNull }) {
			return columns
		}
	}
	return nil
}

// maxColumns is the largest number of columns of a table, as of a change in a change set.
const maxColumns = 250

// refusal says why a table cannot be adopted; "" if it can.
func refusal(t *pgtable.Table, identity []string) string {
	name := TableName(t.Schema, t.Name)
	switch {
	case t.Kind != pgtable.TableKind:
		return fmt.Sprintf("%s is not a table but a relation of kind %q. Draft a type for the table that holds its rows.", name, t.Kind)
	case t.Partition:
		return fmt.Sprintf("%s is a partition. Draft a type for the table that it belongs to.", name)
	case t.Inherited:
		return fmt.Sprintf("Other tables inherit from %s, so its keys do not cover all of its rows. Draft types for those tables instead.", name)
	case len(t.Rules) > 0:
		return fmt.Sprintf("%s has the rule %q, which changes what statements do. Replace it by a trigger.", name, t.Rules[0])
	case len(identity) == 0:
		return fmt.Sprintf("%s has no primary key, so undo could not identify its rows. Add one, or a unique index over columns that are NOT NULL.", name)
	case len(t.Columns) > maxColumns:
		return fmt.Sprintf("%s has %d columns; a type can have at most %d.", name, len(t.Columns), maxColumns)
	}
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Required() && unsupported(c) != "" {
			return fmt.Sprintf("Column %s of %s is required and has the type %s, %s. Give it a default.", c.Name, name, c.Type, unsupported(c))
		}
	}
	for _, name := range identity {
		if why := unsupported(t.Column(name)); why != "" {
			return fmt.Sprintf("Column %s of the key has the type %s, %s. Add a unique index over other columns.", name, t.Column(name).Type, why)
		}
	}
	return ""
}

// unsupported says why files cannot contain values of a column; "" if they can.
func unsupported(c *pgtable.Column) string {
	base := c.Base
	if c.Element != "" {
		base = c.Element
	}
	switch {
	case base == "money":
		return "whose values depend on a setting of the server"
	case base == "tsvector", base == "tsquery":
		return "which is computed from texts"
	case base == "bytea":
		return "which is not text"
	case c.TypeKind == "c", c.TypeKind == "p":
		return "which consists of several values"
	case slices.Contains(objectTypes, base):
		return "which refers to objects of the database"
	}
	return ""
}

var objectTypes = []string{"oid", "regclass", "regtype", "regproc", "regprocedure", "regrole", "regnamespace", "xid", "xid8", "cid", "tid", "pg_lsn", "pg_snapshot"}
