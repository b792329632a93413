package entity

import "strings"

// FieldForColumn returns the type's name for a column of its entities: the name of its field, or
// the name of the column if no field has it or it belongs to another table.
func (d *Declaration) FieldForColumn(column string) string {
	for i := range d.Fields {
		if d.Fields[i].Column == column {
			return d.Fields[i].Name
		}
	}
	return strings.ToUpper(column)
}
