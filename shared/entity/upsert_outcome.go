package entity

import "fmt"

// IsCreated is an SQL expression of what INSERT … ON CONFLICT … DO UPDATE returns: 1 for a row that it
// has inserted, 0 for one that it has updated. The update's condition contains MarkUpdated.
//
// Postgres returns a row before it looks at the next one, so the mark is that of the same row. Other
// ways do not suit: xmax cannot be returned from a partitioned table, and a lookup before the statement
// does not see rows that others commit meanwhile.
const IsCreated = `(current_setting('app.updated_row', true) IS DISTINCT FROM source_row::text)::int::int8`

// MarkUpdated returns an SQL condition that is true and marks a row as updated. row is the SQL of its
// source_row after the update.
func MarkUpdated(row string) string {
	return fmt.Sprintf(`set_config('app.updated_row', (%s)::text, true) IS NOT NULL`, row)
}
