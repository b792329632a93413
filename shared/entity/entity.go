// Package entity is the contract of an import type: the columns that a type declares, and how
// it writes a batch of decoded rows into its tables. Validation, templates, column matching,
// façades and exports are derived from the declaration; no code outside a type's own folder
// names a type.
//
// Types know Postgres. They know nothing of jobs, files or the cloud.
package entity

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Declaration holds everything that the rest of Loadbay needs to know about a type.
type Declaration struct {
	Name     string // name in /api: "MEMBERSHIP"
	Version  int    // of a declared type; 0 for a compiled one
	Resource string // name in /v1: "memberships"
	Title    string // name for people: "Memberships"
	// Subjects are words for the subject of a row, so that "Member first name" matches the first
	// name.
	Subjects []string
	// WholeFile types read the whole file before writing.
	WholeFile bool
	// NoRetryReason is a sentence that explains why a failed row cannot be retried without the
	// other rows of its file; "" if it can.
	NoRetryReason string
	// Modes lists the allowed write modes; the first is the default.
	Modes []rowwrite.Mode
	// Context is the entity to which contextId refers, or nil if the type has no context.
	Context *Context
	// Facade is the type's own pair of endpoints, or nil.
	Facade *Facade
	// Options are settings of an import in addition to the reading options of its file.
	Options []Option
	// BatchUploads describes the type's endpoints for numbered uploads, or is nil.
	BatchUploads *BatchUploads
	// Retention is how long an import is retained after it has ended; 0 for the default.
	Retention time.Duration
	// Export specifies how exports read the type's rows; nil if it cannot be exported.
	Export *Export
	// Owner is the entity that an entity of Export.Table belongs to, if it is a person or belongs to
	// one; nil for types that are not about persons.
	Owner  *Owner
	Fields []Field
	// Computed are fields that no column of a file is mapped to: their values follow from those of
	// Fields. In a batch, their columns follow those of Fields.
	Computed []Field
	Rules    []Rule // rules that involve several fields
	// Expressions are the conditions of a declared type and its computed fields; nil for types without
	// them, and in programs that write no rows.
	Expressions Expressions
}

// Context is the entity that all rows of a file belong to.
type Context struct {
	Param string // query parameter of the façade: "periodId"
	Title string // title for people: "membership period"
	Table string // table of the entity, with columns organisation_id and id
}

// Kind is the type of a field's values.
type Kind uint8

// The kinds of fields, with the Postgres type of their Column.
const (
	Text      Kind = iota // text
	Email                 // text, lower case
	Enum                  // text, one of Field.Enum
	UUID                  // uuid
	Integer               // int8
	Decimal               // text in canonical form; SQL casts it to numeric
	Boolean               // bool
	Date                  // date
	Timestamp             // timestamptz
	Reference             // int8, the id of the entity that matches the cell's text
	TextList              // text, an array in the format of Postgres; SQL casts it to text[]
)

// Field is one target that a column of a file can be mapped to.
type Field struct {
	Name   string            // name in /api: "FIRST_NAME"
	Column string            // name in the database, in /v1 and in exports: "first_name"
	Expr   string            // SQL expression of the value in exports; "" is Column of Export.Table
	Title  string            // header in templates: "First name"
	Titles map[string]string // the title in other languages, by their codes, of a field of a declared type
	// Concepts are what the field means, the main one first: "person.givenName", or with a role,
	// "receiver:address.city". See package concept.
	Concepts          []string
	Aliases           []string  // other headers for this field, in English
	TranslatedAliases []string  // headers in other languages: see WithTranslatedHeaders
	Variants          []Variant // headers that also determine an option
	Kind              Kind
	Required          bool
	// Identifying texts identify an entity: a placeholder such as "n/a" counts as no value, and a
	// number that has lost digits is rejected.
	Identifying bool
	// AllowedPlaceholders are placeholders that are values of an Identifying field: their letters and
	// digits, in lower case.
	AllowedPlaceholders []string
	// WithoutValue says how rows without a value of an optional Identifying field are recognised, for
	// the warning about placeholders; "" if that needs no mention.
	WithoutValue string
	// ExactDigits values are often long numbers, such as telephone numbers: a text in scientific
	// notation, which has lost its digits, is rejected.
	ExactDigits bool
	MaxLength   int       // characters; 0 for the limit of a cell
	Pattern     string    // regular expression (RE2) of the allowed texts; "" for any
	FormatHint  string    // describes Pattern to people, with an example; required with Pattern
	Min         string    // smallest allowed number, in decimal notation; "" for any
	Max         string    // largest allowed number; "" for any
	Unit        string    // unit of a Decimal: "kg"; see package transform for the known ones. "" for none
	Separator   string    // between the entries of a TextList; "" for the usual ones
	Decimals    *int      // largest number of decimals of a Decimal, as of its column; nil for any
	PastOnly    bool      // a Date that cannot be after the day of the import
	Enum        []string  // the values of an Enum; matched without regard to case
	Lookup      *Lookup   // how to resolve a Reference; for a Text, the list that contains its values (see Listed)
	Default     string    // SQL expression for a missing value; "" is NULL
	Synonyms    []Synonym // other words for values of an Enum
	Content     Content   // usual content of the values, beyond their Kind
	// Personal values are about the person that the entity belongs to (Declaration.Owner). An erasure
	// of the person removes them wherever imports store values: see Distinctive.
	Personal bool
	// Table has the Column of a Personal field, if it is not Export.Table: PersonTable.
	Table string
}

// Synonym is another word for a value of an Enum.
type Synonym struct{ Word, Value string }

// Type is an import type. Row types also implement RowWriter.
type Type interface {
	Declaration() *Declaration
}

// RowWriter writes batches of rows.
type RowWriter interface {
	Type
	// Write writes the batch and sets the result of each row. After an error the caller rolls
	// the whole batch back and tries smaller batches.
	Write(ctx context.Context, tx pgx.Tx, b *Batch) error
}

// Keyed types can compute the keys of a row's entity before any lookup: their upserts skip rows
// that change nothing.
type Keyed interface {
	RowWriter
	// KeyFields returns the names of the fields that keys consist of.
	KeyFields() []string
	// RowKeys calls found with every key of row i of the batch, in the form in which keys are
	// unique, and returns the index of the key by which the row names its entity, or the number
	// of keys if the row has none.
	RowKeys(b *Batch, i int, found func(key int, value string)) (by int)
}

// SecondLooker types may have keys that no unique index guarantees: another program may write a row with
// the same key between the look-up and the commit.
type SecondLooker interface {
	RowWriter
	// DoubledKeys returns, by index, the errors of rows of a batch that has been committed whose keys
	// several entities have.
	DoubledKeys(ctx context.Context, tx pgx.Tx, b *Batch) (map[int]rowwrite.Error, error)
	// DoubledEntities is DoubledKeys for entities, as change sets name them.
	DoubledEntities(ctx context.Context, tx pgx.Tx, ids []string) (map[int]rowwrite.Error, error)
}

// NoteWriter types record something about each row, separately from entities.
type NoteWriter interface {
	RowWriter
	// WriteNotes saves the notes of a batch that Write has written. The caller calls it in the same
	// transaction, and does not roll it back together with the entities of a plan.
	WriteNotes(ctx context.Context, tx pgx.Tx, b *Batch) error
	// WriteStaleNotes updates the notes of planned rows that were not written because they were stale.
	WriteStaleNotes(ctx context.Context, tx pgx.Tx, organisation tenant.ID, source int64, rows []int64) error
}

// FieldIndex returns the index of the field with the name, or -1.
func (d *Declaration) FieldIndex(name string) int {
	for i := range d.Fields {
		if d.Fields[i].Name == name {
			return i
		}
	}
	return -1
}

// RowsDependOnEachOther reports whether the rows of a file are written together or not at all once
// they have been planned.
func (d *Declaration) RowsDependOnEachOther() bool { return d.NoRetryReason != "" }

// UnmappedFields returns the fields that are not in mapped, which contains names.
func (d *Declaration) UnmappedFields(mapped map[string]bool) []*Field {
	var free []*Field
	for i := range d.Fields {
		if f := &d.Fields[i]; !mapped[f.Name] {
			free = append(free, f)
		}
	}
	return free
}

// MissingFields returns the required fields that UnmappedFields returns.
func (d *Declaration) MissingFields(mapped map[string]bool) []*Field {
	return slices.DeleteFunc(d.UnmappedFields(mapped), func(f *Field) bool { return !f.Required })
}

// Allows reports whether the type can be imported in the mode.
func (d *Declaration) Allows(m rowwrite.Mode) bool {
	for _, mode := range d.Modes {
		if mode == m {
			return true
		}
	}
	return false
}
