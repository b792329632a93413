package document

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
)

// target checks what a text stands for, as far as it shows without the type.
func (c *checker) target(path string, t *Target) {
	given := 0
	for _, is := range []bool{t.To != "", t.ToID != "", t.Then != ""} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		c.addError(path, "Say one thing: to, toId or then.")
	case t.To != "":
		c.text(path+".to", t.To, MaxText)
	case t.ToID != "":
		if id, err := strconv.ParseInt(t.ToID, 10, 64); err != nil || id <= 0 {
			c.addError(path+".toId", `The id of an entity, a whole number as a text: "528".`)
		}
	case !slices.Contains([]Action{Empty, Skip, Create}, t.Then):
		c.addError(path+".then", "One of empty, skip, create.")
	}
}

// CheckFields holds a document to the fields of a type. Its error is like that of Parse.
// Whether entities exist is for the import to find out.
func (d *Document) CheckFields(decl *entity.Declaration) error {
	c := newChecker()
	for i := range d.Fields {
		c.field(fmt.Sprintf("fields[%d]", i), decl, d.Fields[i].Field)
	}
	for i := range d.Values {
		v, path := &d.Values[i], fmt.Sprintf("values[%d]", i)
		if f := c.field(path, decl, v.Field); f != nil {
			c.checkTarget(path, f, &v.Target)
			if v.Then == Create && !canCreate(f, v.Value) {
				c.addError(path+".then", "Nothing can be created of this value: only of values of fields with canCreate, up to 200 characters.")
			}
		}
	}
	for i := range d.Defaults {
		path := fmt.Sprintf("defaults[%d]", i)
		if f := c.field(path, decl, d.Defaults[i].Field); f != nil {
			c.checkTarget(path, f, &d.Defaults[i].Target)
		}
	}
	return c.err()
}

func canCreate(f *entity.Field, value string) bool {
	return f.Lookup != nil && f.Lookup.CanCreate(value)
}

// field returns the field of that name, or says that there is none.
func (c *checker) field(path string, decl *entity.Declaration, name string) *entity.Field {
	if i := decl.FieldIndex(name); i >= 0 {
		return &decl.Fields[i]
	}
	c.addError(path+".field", decl.Title+" have no such field. GET /api/import-types lists them.")
	return nil
}

// checkTarget checks whether values of the field can stand for that.
func (c *checker) checkTarget(path string, f *entity.Field, t *Target) {
	if rule := allowedValues(f, t); rule != "" {
		c.addError(path, f.Title+": "+rule)
	}
}

// allowedValues is "", or what values of the field can stand for.
func allowedValues(f *entity.Field, t *Target) string {
	_, word := f.FindWord(t.To)
	switch {
	case !f.HasMappableValues():
		return "its values stand for nothing but themselves; change texts by transforms."
	case t.Then == Empty && f.Required:
		return "it cannot be empty."
	case t.Then == Create && (f.Lookup == nil || f.Lookup.Create == "" && f.Lookup.AddOption == ""):
		return "nothing can be created of its values."
	case t.ToID != "" && f.Lookup == nil:
		return "its values have no ids: give to."
	case t.To != "" && f.Lookup == nil && !word:
		return "its values are " + strings.Join(f.Words(), ", ") + "."
	}
	return ""
}
