package entitytable

import (
	"encoding/json"
	"fmt"
)

// Statements that write a declared table record their changes in the format of the trigger
// capture_changes: a CTE written has the columns line, the number of the row of the file, and those
// that RecordedInsert, RecordedUpdate or RecordedDelete return. changeset.ParseCaptured reads it.

// captureMode is the SQL of what the transaction records: "" for nothing, "changes", or "values" for
// changes with the values of created rows.
const captureMode = "(SELECT coalesce(current_setting('app.capture', true), ''))"

// ifRecorded returns the SQL of a value that is computed only if changes are recorded.
func ifRecorded(value string) string {
	return "CASE WHEN " + captureMode + " <> '' THEN " + value + " END"
}

// columnNames returns the names of the columns that change sets contain.
func (t *Table) columnNames() []string {
	names := make([]string, len(t.Columns))
	for i := range t.Columns {
		names[i] = t.Columns[i].Name
	}
	return names
}

// RecordedInsert returns the SQL of what an INSERT of rows e returns to be recorded.
func (t *Table) RecordedInsert() string {
	names := t.columnNames()
	return fmt.Sprintf("%s AS id, %s AS hash, CASE WHEN %s = 'values' THEN %s::text END AS fresh", t.IDText("e"),
		ifRecorded(t.Hash("e", names)), captureMode, Record(names, func(name string) string { return "e." + Quote(name) }))
}

// RecordedUpdate returns the SQL of what an UPDATE of rows e returns to be recorded: o is the row
// before. NULL before and after means that a column has not changed.
func (t *Table) RecordedUpdate() string {
	names := t.columnNames()
	changed := func(alias string) string {
		return Record(names, func(name string) string {
			return fmt.Sprintf("CASE WHEN %s THEN %s.%s END", t.Column(name).Differs("e."+Quote(name), "o."+Quote(name)), alias, Quote(name))
		}) + "::text"
	}
	return fmt.Sprintf("%s AS id, %s AS hash, %s AS stale, %s AS fresh", t.IDText("e"), ifRecorded(t.Hash("e", names)), ifRecorded(changed("o")), ifRecorded(changed("e")))
}

// RecordedDelete returns the SQL of what a DELETE of rows e returns to be recorded.
func (t *Table) RecordedDelete() string {
	return fmt.Sprintf("%s AS id, %s AS stale", t.IDText("e"), ifRecorded(Record(t.columnNames(), func(name string) string { return "e." + Quote(name) })+"::text"))
}

// RecordingHead returns the names of the table and its columns, a parameter of Recording.
func (t *Table) RecordingHead() string {
	head, _ := json.Marshal(append([]string{t.Name}, t.columnNames()...))
	return string(head)
}

// Recording returns the SQL of an aggregate over the rows of written that records them. head is the
// parameter with RecordingHead.
func (t *Table) Recording(operation, head string) string {
	values := ""
	switch name := operation; name {
	case "INSERT":
		operation, values = "CASE "+captureMode+" WHEN 'values' THEN 'INSERT+' ELSE 'INSERT' END", "hash, octet_length(fresh), fresh"
	case "UPDATE":
		operation, values = "'UPDATE'", "0, 0, octet_length(stale), stale, hash, octet_length(fresh), fresh"
	case "DELETE":
		operation, values = "'DELETE'", "0, 0, octet_length(stale), stale"
	}
	return fmt.Sprintf(`
		CASE WHEN %s <> '' AND count(*) > 0 THEN set_config('app.captured', coalesce(current_setting('app.captured', true), '')
			|| %s || ' ' || %s || E'\n' || string_agg(concat_ws(' ', line, octet_length(id), id, %s), E'\n') || E'\n', true) END IS NULL`,
		captureMode, operation, head, values)
}
