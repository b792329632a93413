// Package migrations holds the database's schema as numbered SQL files, the same for
// tests, for one machine and for AWS. docs/schema.sql shows the resulting schema.
//
// From v0.1.0 on migrations are only added, never edited: a database that has
// applied one does not apply it again, so an edit would reach new databases only.
// migrations.sum holds the SHA-256 of each, and a test compares. A new migration
// takes the next number; `make schema` enters it in migrations.sum and writes
// docs/schema.sql anew. There are no down migrations: the previous release still
// runs after a migration, so a rollback needs only the previous code.
package migrations

import "embed"

// Files are the migrations, in the order of their names.
//
//go:embed *.sql
var Files embed.FS
