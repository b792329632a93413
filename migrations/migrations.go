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

import "embed"

// Files contains the migrations, sorted by name.
//
//go:embed *.sql
var Files embed.FS
