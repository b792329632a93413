package declared

import (
	"fmt"

	"github.com/loadbay/loadbay/shared/changes/entitytable"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
)

// Personal returns where the table has data of persons, or nil: the fields that are marked, and the one
// that identifies a person. Without such a one, each distinctive value does.
func (t *Type) Personal() *entitytable.Personal {
	p := &entitytable.Personal{Of: &t.stored}
	for i := range t.fields {
		f := &t.fields[i]
		key := t.declaration.Person != nil && t.declaration.Person.Key == f.declared.Name
		if !f.declared.Personal && !key {
			continue
		}
		distinctive := f.kind.Distinctive()
		p.Columns = append(p.Columns, entitytable.PersonalColumn{
			Name: f.Name, Array: f.kind == entity.TextList, Distinctive: distinctive, Erased: t.erasedValue(f.Column),
		})
		if key || t.declaration.Person == nil && distinctive {
			p.Keys = append(p.Keys, f.Name)
		}
	}
	if len(p.Columns) == 0 {
		return nil
	}
	return p
}

// erasedValue returns the SQL of the value that replaces an erased one of a row e: NULL, or else a text
// that no other row has.
func (t *Type) erasedValue(column *pgtable.Column) string {
	switch {
	case !column.Update:
		return ""
	case !column.NotNull:
		return "NULL"
	case baseType(column) != "text" && baseType(column) != "character varying" || len(column.Labels)+len(column.Words) > 0:
		return ""
	}
	text := "'erased-' || md5(" + t.stored.IDText("e") + ")"
	if column.MaxLength > 0 {
		return fmt.Sprintf("right(%s, %d)", text, column.MaxLength)
	}
	return text
}
