// Package migrations contains the database's schema as numbered SQL files, the same for
// tests, for one machine and for AWS. docs/schema.sql shows the resulting schema.
//
// From v0.1.0 on migrations are only added, never edited: a database that has
// applied one does not apply it again, so an edit would reach new databases only.
// migrations.sum contains the SHA-256 of each, which a test verifies. A new migration
// takes the next number; `make schema` adds it to migrations.sum and regenerates
// docs/schema.sql. There are no down migrations: the previous release still
// works after a migration, so a rollback needs only the previous code.
package migrations

import (
	"embed"
	"io/fs"
	"strings"
)

// Files contains the migrations, sorted by name.
//
//go:embed *.sql
var Files embed.FS

// ForLoadbay returns Files for a database that Loadbay shares with an application and where its own
// tables are in the schema loadbay. The first migrations were written for a database of its own: they
// grant the use of the schema public, and alter every table that has a policy with a certain name.
// Here they leave public and the application's tables alone.
func ForLoadbay() fs.FS { return forLoadbay{Files} }

const isLoadbays = "(SELECT relnamespace FROM pg_class WHERE oid = polrelid) = 'loadbay'::regnamespace AND "

var loadbayOnly = strings.NewReplacer(
	"ON SCHEMA public", "ON SCHEMA loadbay",
	"WHERE polname = ", "WHERE "+isLoadbays+"polname = ",
	"WHERE p.polname = ", "WHERE "+isLoadbays+"p.polname = ",
)

type forLoadbay struct{ embed.FS }

// Open returns the file with its text for such a database.
func (f forLoadbay) Open(name string) (fs.File, error) {
	opened, err := f.FS.Open(name)
	if err != nil || !strings.HasSuffix(name, ".sql") {
		return opened, err
	}
	text, err := f.ReadFile(name)
	return file{opened, strings.NewReader(loadbayOnly.Replace(string(text)))}, err
}

// file is a file with another text.
type file struct {
	fs.File
	text *strings.Reader
}

func (f file) Read(p []byte) (int, error) { return f.text.Read(p) }
