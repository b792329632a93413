package entity

import "strings"

// FieldForColumn is what the type calls a column of its entities: as the field that it is of, or
// else, where it is none of its fields or another table's, after itself.
func (d *Declaration) FieldForColumn(column string) string {
	for i := range d.Fields {
		if d.Fields[i].Column == column {
			return d.Fields[i].Name
		}
	}
	return strings.ToUpper(column)
}
