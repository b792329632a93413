package pgtable

import (
	"slices"
	"strings"
)

// ReservedSchemas returns the schemas of Loadbay and of Postgres, whose tables are not adopted.
func ReservedSchemas() []string {
	return []string{"loadbay", "sample", "pg_catalog", "information_schema", "pg_toast"}
}

// IsReserved reports whether a schema belongs to Loadbay or to Postgres.
func IsReserved(schema string) bool {
	return slices.Contains(ReservedSchemas(), schema) || strings.HasPrefix(schema, "pg_")
}
