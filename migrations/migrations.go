// Package migrations holds the database's schema as numbered SQL: the same for
// tests, for one machine and for AWS.
package migrations

import "embed"

// Files are the migrations, in the order of their names.
//
//go:embed *.sql
var Files embed.FS
