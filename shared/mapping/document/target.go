package document

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/transform"
)

// target checks the target of a text as far as possible without the type.
func (c *checker) target(path string, t *Target) {
	given := 0
	for _, is := range []bool{t.To != "", t.ToID != "", t.Then != ""} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		c.addError(path, "Set exactly one of to, toId or then.")
	case t.To != "":
		c.text(path+".to", t.To, MaxText)
	case t.ToID != "":
		if id, err := strconv.ParseInt(t.ToID, 10, 64); err != nil || id <= 0 {
			c.addError(path+".toId", `The ID of an entity, a whole number as a string: "528".`)
		}
	case !slices.Contains([]Action{Empty, Skip, Create}, t.Then):
		c.addError(path+".then", "One of empty, skip, create.")
	}
}

// CheckFields checks a document against the fields of a type. Its error is like that of Parse.
// The import checks whether entities exist.
func (d *Document) CheckFields(decl *entity.Declaration) error {
	c := newChecker()
	for i := range d.Fields {
		path := fmt.Sprintf("fields[%d]", i)
		if f := c.field(path, decl, d.Fields[i].Field); f != nil {
			c.checkUnit(path, f, transform.ConvertedUnit(d.Fields[i].Transforms))
		}
	}
	for i := range d.Values {
		v, path := &d.Values[i], fmt.Sprintf("values[%d]", i)
		if f := c.field(path, decl, v.Field); f != nil {
			c.checkTarget(path, f, &v.Target)
			if v.Then == Create && !canCreate(f, v.Value) {
				c.addError(path+".then", "No entry can be created from this value: only for values of up to 200 characters in fields with canCreate.")
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

// checkUnit checks whether numbers in the unit can be converted to that of the field.
func (c *checker) checkUnit(path string, f *entity.Field, unit string) {
	if unit == "" {
		return
	}
	if _, ok := transform.NewFactor(unit, f.Unit); !ok {
		rule := "it has no unit, so its values cannot be converted."
		if f.Unit != "" {
			rule = "its unit is " + f.Unit + ", and this unit cannot be converted to it."
		}
		c.addError(path+".transforms", f.Title+": "+rule)
	}
}

func canCreate(f *entity.Field, value string) bool {
	return f.Lookup != nil && f.Lookup.CanCreate(value)
}

// field returns the field of that name, or records an error.
func (c *checker) field(path string, decl *entity.Declaration, name string) *entity.Field {
	if i := decl.FieldIndex(name); i >= 0 {
		return &decl.Fields[i]
	}
	c.addError(path+".field", decl.Title+" do not have this field. See GET /api/import-types.")
	return nil
}

// checkTarget checks whether values of the field can have that target.
func (c *checker) checkTarget(path string, f *entity.Field, t *Target) {
	if rule := allowedValues(f, t); rule != "" {
		c.addError(path, f.Title+": "+rule)
	}
}

// allowedValues returns "" if the target is allowed, or the targets that are.
func allowedValues(f *entity.Field, t *Target) string {
	_, word := f.FindWord(t.To)
	switch {
	case !f.HasMappableValues():
		return "its values cannot be matched; use transforms to change texts."
	case t.Then == Empty && f.Required:
		return "it cannot be empty."
	case t.Then == Create && (f.Lookup == nil || f.Lookup.Create == "" && f.Lookup.AddOption == ""):
		return "no entries can be created from its values."
	case t.ToID != "" && f.Lookup == nil:
		return "its values have no IDs; use to."
	case t.To != "" && f.Lookup == nil && !word:
		return "allowed values are " + strings.Join(f.Words(), ", ") + "."
	}
	return ""
}
