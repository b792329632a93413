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
		c.say(path, "Say one thing: to, toId or then.")
	case t.To != "":
		c.text(path+".to", t.To, MaxText)
	case t.ToID != "":
		if id, err := strconv.ParseInt(t.ToID, 10, 64); err != nil || id <= 0 {
			c.say(path+".toId", `The id of an entity, a whole number as a text: "528".`)
		}
	case !slices.Contains([]Then{Empty, Skip, Create}, t.Then):
		c.say(path+".then", "One of empty, skip, create.")
	}
}

// Check holds a document to the fields of a type. Its error is like that of Parse.
// Whether entities exist is for the import to find out.
func (d *Document) Check(decl *entity.Declaration) error {
	c := newChecker()
	for i := range d.Fields {
		c.field(fmt.Sprintf("fields[%d]", i), decl, d.Fields[i].Field)
	}
	for i := range d.Values {
		v, path := &d.Values[i], fmt.Sprintf("values[%d]", i)
		if f := c.field(path, decl, v.Field); f != nil {
			c.fits(path, f, &v.Target)
			if v.Then == Create && !canCreate(f, v.Value) {
				c.say(path+".then", "Nothing can be created of this value: only of values of fields with canCreate, up to 200 characters.")
			}
		}
	}
	for i := range d.Defaults {
		path := fmt.Sprintf("defaults[%d]", i)
		if f := c.field(path, decl, d.Defaults[i].Field); f != nil {
			c.fits(path, f, &d.Defaults[i].Target)
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
	c.say(path+".field", decl.Title+" have no such field. GET /api/import-types lists them.")
	return nil
}

// fits checks whether values of the field can stand for that.
func (c *checker) fits(path string, f *entity.Field, t *Target) {
	if rule := allowed(f, t); rule != "" {
		c.say(path, f.Title+": "+rule)
	}
}

// allowed is "", or what values of the field can stand for.
func allowed(f *entity.Field, t *Target) string {
	switch {
	case !Closed(f):
		return "its values stand for nothing but themselves; change texts by transforms."
	case t.Then == Empty && f.Required:
		return "it cannot be empty."
	case t.Then == Create && (f.Lookup == nil || f.Lookup.Create == "" && f.Lookup.Adds == ""):
		return "nothing can be created of its values."
	case t.ToID != "" && f.Lookup == nil:
		return "its values have no ids: give to."
	case t.To != "" && f.Kind == entity.Boolean && t.To != "true" && t.To != "false":
		return "its values are true and false."
	case t.To != "" && f.Kind == entity.Enum && !slices.Contains(f.Enum, t.To):
		return "its values are " + strings.Join(f.Enum, ", ") + "."
	}
	return ""
}

// Closed reports whether values of the field are those of a closed set, so that a
// text may stand for one of them.
func Closed(f *entity.Field) bool { return f.Mappable() }
