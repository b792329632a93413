package adopt

import (
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
)

// draftReference makes a field refer to rows of another table by a text that people know.
func (d *drafter) draftReference(path string, f *declared.Field, c *pgtable.Column, taken map[string]bool) {
	to, k := d.foreignKey(c.Name)
	if k == nil {
		return
	}
	other := d.Referenced[[2]string{k.Schema, k.Table}]
	name := TableName(k.Schema, k.Table)
	if len(k.From) > 1 && d.otherColumns(k, c.Name) {
		d.find(false, path, "Columns %s refer to %s together. Files contain their values, as Loadbay cannot look them up.", strings.Join(k.From, ", "), name)
		return
	}
	if !d.mayRefer([2]string{k.Schema, k.Table}) {
		d.find(true, path, "No operator has granted references to %s, so files contain values of its column %s. Ask an operator to grant them, or leave the field out.", name, to)
		return
	}
	f.Reference = &declared.Reference{Table: name, By: [][]string{{to}}, Self: k.Schema == d.Table.Schema && k.Table == d.Table.Name}
	f.Title = title(c.Name, "id")
	if short := fieldName(f.Title); short != f.Name && !taken[short] && !slices.ContainsFunc(d.Table.Columns, func(o pgtable.Column) bool { return fieldName(o.Name) == short }) {
		delete(taken, f.Name)
		f.Name = distinct(short, taken)
	}
	if other == nil {
		return
	}
	if d.Granted != nil {
		f.Reference.Within = d.Granted.Referable[[2]string{k.Schema, k.Table}].Column
	} else if within := tenantColumn(other); within != "" && d.tenant != "" {
		f.Reference.Within = within
	}
	if !slices.Contains([]string{"smallint", "integer", "bigint"}, c.Base) {
		return // its value is a text already
	}
	by, guaranteed := naturalKeys(other, f.Reference.Within)
	if len(by) == 0 {
		d.find(false, path, "Files refer to %s by %s, because it has no column that looks like a name or a code.", name, to)
		return
	}
	f.Reference.By = by
	if !guaranteed {
		d.find(true, path, "Files refer to %s by %s, which no unique index guarantees. Texts that several rows have are asked about.", name, strings.Join(by[0], " and "))
	}
}

// foreignKey returns the foreign key of a column, that of the fewest columns, and the column that it
// leads to.
func (d *drafter) foreignKey(column string) (to string, found *pgtable.ForeignKey) {
	for i := range d.Table.ForeignKeys {
		k := &d.Table.ForeignKeys[i]
		if at := slices.Index(k.From, column); at >= 0 && (found == nil || len(k.From) < len(found.From)) {
			to, found = k.To[at], k
		}
	}
	return to, found
}

// otherColumns reports whether a foreign key has columns besides this one and that of the
// organisation.
func (d *drafter) otherColumns(k *pgtable.ForeignKey, column string) bool {
	return slices.ContainsFunc(k.From, func(name string) bool { return name != column && name != d.tenant })
}

// tenantColumn returns the column of a table that holds the organisation; "" if it has none.
func tenantColumn(t *pgtable.Table) string {
	for i := range t.Columns {
		if is(t.Columns[i].Name, "orgid", "organisationid", "organizationid", "tenantid", "tenant", "workspaceid") {
			return t.Columns[i].Name
		}
	}
	return ""
}

// naturalKeys returns the texts by which people know rows of a table: those with a unique index, or
// else the column that looks most like a code or a name.
func naturalKeys(t *pgtable.Table, tenant string) (by [][]string, guaranteed bool) {
	var global [][]string // unique in all organisations
	for i := range t.Unique {
		all, plain := t.Unique[i].Plain()
		columns := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return name == tenant })
		switch {
		case !plain || len(columns) == 0 || slices.ContainsFunc(columns, func(name string) bool { return !isText(t.Column(name)) }):
		case len(columns) == len(all):
			global = append(global, columns)
		default:
			by = append(by, columns)
		}
	}
	if by = append(by, global...); len(by) > 0 {
		return by, true
	}
	var likely [4][]string
	for i := range t.Columns {
		switch c := &t.Columns[i]; {
		case !isText(c) || c.Generated:
		case isName(t.Name, c.Name):
			likely[0] = append(likely[0], c.Name)
		case isCode(c.Name):
			likely[1] = append(likely[1], c.Name)
		case isFirstName(c.Name):
			likely[2] = append(likely[2], c.Name)
		case isLastName(c.Name):
			likely[3] = append(likely[3], c.Name)
		}
	}
	switch {
	case len(likely[2]) > 0 && len(likely[3]) > 0:
		by = [][]string{{likely[2][0], likely[3][0]}}
	case len(likely[0]) > 0:
		by = [][]string{{likely[0][0]}}
	}
	if len(likely[1]) > 0 {
		by = append(by, []string{likely[1][0]})
	}
	return by, false
}
