// Package entity is the contract of an import type: what a type declares about
// its columns, and how a batch of decoded rows becomes rows of its tables.
// Validation, templates, column matching, façades and exports all come from the
// declaration; nothing outside a type's own folder names a type.
//
// Types know Postgres. They know nothing of jobs, files or the cloud.
package entity

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Declaration is all that the rest of Loadbay needs to know about a type.
type Declaration struct {
	Name     string // as on the wire of /api: "MEMBERSHIP"
	Resource string // as on the wire of /v1: "memberships"
	Title    string // for people: "Memberships"
	// Subjects are words for what a row describes: "Member first name" is then a first name.
	Subjects []string
	// WholeFile types read their file as one.
	WholeFile bool
	// NoRetryReason says why a row that failed cannot be brought again without the others
	// of its file, a sentence; "" where it can.
	NoRetryReason string
	// Modes are the write modes that the type allows; the first is the default.
	Modes []Mode
	// Context is what contextId refers to, or nil where the type needs none.
	Context *Context
	// Facade is the type's own pair of endpoints, or nil.
	Facade *Facade
	// Options are settings of an import in addition to those of its file.
	Options []Option
	// Batches are the type's endpoints for numbered uploads, or nil.
	BatchUploads *BatchUploads
	// Retention is how long an import that has ended is kept; 0 for the usual time.
	Retention time.Duration
	// Export is where exports read the type's rows, or nil where there are none.
	Export *Export
	Fields []Field
	Rules  []Rule // over several of them
}

// Context is the entity that all rows of a file belong to.
type Context struct {
	Param string // the façade's query parameter: "periodId"
	Title string // for people: "membership period"
	Table string // the table that holds it, by organisation_id and id
}

// Mode says what a row does to an entity that exists already.
type Mode string

// The write modes.
const (
	Insert Mode = "insert" // it is an error of the row
	Upsert Mode = "upsert" // it is updated; an empty cell leaves its value as it is
)

// Kind is what the values of a field are.
type Kind uint8

// The kinds of fields, with the Postgres type that a Column of them holds.
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
	Reference             // int8, the id of the entity that the cell's text stands for
	TextList              // text, an array as Postgres writes it; SQL casts it to text[]
)

// Field is one target that a column of a file can be mapped to.
type Field struct {
	Name              string   // as on the wire of /api: "FIRST_NAME"
	Column            string   // as in the database, in /v1 and in exports: "first_name"
	Expr              string   // SQL expression of the value in exports; "" is Column of Export.Table
	Title             string   // header in templates: "First name"
	Aliases           []string // other headers that mean this field, in English
	TranslatedAliases []string // and in other languages: see WithTranslatedHeaders
	Kind              Kind
	Required          bool
	// Identifying texts are what something is recognised by: a placeholder such as
	// "n/a" is no value, and a number that has lost digits is refused.
	Identifying bool
	MaxLength   int       // characters; 0 for the limit of a cell
	Pattern     string    // regular expression (RE2) of the texts that are taken; "" for any
	FormatHint  string    // what Pattern asks for, for people and with an example; given if Pattern is
	Min         string    // smallest number that is taken, in decimal notation; "" for any
	Max         string    // largest number that is taken; "" for any
	PastOnly    bool      // a Date that cannot be after the day of the import
	Enum        []string  // the values of an Enum; matched without regard to case
	Lookup      *Lookup   // how a Reference is resolved; of a Text, the list that it is in (see Listed)
	Default     string    // SQL expression for a value that is not given; "" is NULL
	Synonyms    []Synonym // other words for values of an Enum
	Content     Content   // what values are like, beyond their Kind
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
	// Write writes the batch and sets the result of each of its rows. An error
	// means that nothing of the batch may stay: the caller rolls back and tries
	// smaller batches.
	Write(ctx context.Context, tx pgx.Tx, b *Batch) error
}

// Keyed types know by which values of its row an entity is recognised, before anything is
// looked up: their upserts leave rows unwritten that change nothing.
type Keyed interface {
	RowWriter
	// KeyFields are the names of the fields that keys are made of.
	KeyFields() []string
	// RowKeys calls found with every key that row i of the batch gives, in the form in
	// which it is unique, and returns which of them the row names its entity by; the number
	// of keys where it gives none.
	RowKeys(b *Batch, i int, found func(key int, value string)) (by int)
}

// NoteWriter types note something of each row, apart from entities.
type NoteWriter interface {
	RowWriter
	// Note keeps the notes of a batch that Write has written. The caller calls it in the same
	// transaction, and does not take it back with entities that are only rehearsed.
	WriteNotes(ctx context.Context, tx pgx.Tx, b *Batch) error
	// WriteStaleNotes changes the notes of rows that were planned: they have not been written.
	WriteStaleNotes(ctx context.Context, tx pgx.Tx, organisation tenant.ID, source int64, rows []int64) error
}

// FieldIndex returns the place of the field of that name, or -1.
func (d *Declaration) FieldIndex(name string) int {
	for i := range d.Fields {
		if d.Fields[i].Name == name {
			return i
		}
	}
	return -1
}

// UnmappedFields returns the fields whose names are not among the mapped ones.
func (d *Declaration) UnmappedFields(mapped map[string]bool) []*Field {
	var free []*Field
	for i := range d.Fields {
		if f := &d.Fields[i]; !mapped[f.Name] {
			free = append(free, f)
		}
	}
	return free
}

// MissingFields returns the required fields that are Free.
func (d *Declaration) MissingFields(mapped map[string]bool) []*Field {
	return slices.DeleteFunc(d.UnmappedFields(mapped), func(f *Field) bool { return !f.Required })
}

// Allows reports whether the type can be imported in that mode.
func (d *Declaration) Allows(m Mode) bool {
	for _, mode := range d.Modes {
		if mode == m {
			return true
		}
	}
	return false
}
