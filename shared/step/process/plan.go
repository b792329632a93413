package process

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet/value"
)

// plan says which column of the file fills which field, and what a person has
// said about values.
type plan struct {
	declaration *entity.Declaration
	bindings    []binding
	mapped      []bool // by field
	known       map[answer]job.MappedCell
}

// binding is one column of the file on its way to one field.
type binding struct {
	column int
	field  int
	def    *entity.Field
	enum   *enumeration // of Enum fields
	bounds *bounds      // of numbers that have some
	// pattern is what texts must be like, or nil.
	pattern *regexp.Regexp
}

// enumeration finds an enum's value by any of its words.
type enumeration struct {
	words  *value.Enum
	values []string // by the place of the word
}

// answer is the key of a cell mapping.
type answer struct{ field, value string }

func newPlan(d *entity.Declaration, columns []job.MappedColumn, cells []job.MappedCell) (*plan, error) {
	p := &plan{declaration: d, mapped: make([]bool, len(d.Fields)), known: make(map[answer]job.MappedCell, len(cells))}
	for _, c := range columns {
		if c.TargetField == "" {
			continue
		}
		at := d.FieldIndex(c.TargetField)
		if at < 0 {
			return nil, fmt.Errorf("import type %s has no field %q", d.Name, c.TargetField)
		}
		b := binding{column: c.ColumnIndex, field: at, def: &d.Fields[at]}
		if b.def.Kind == entity.Enum {
			var err error
			if b.enum, err = newEnumeration(b.def); err != nil {
				return nil, err
			}
		}
		if b.def.Pattern != "" {
			var err error
			if b.pattern, err = regexp.Compile(b.def.Pattern); err != nil {
				return nil, fmt.Errorf("field %s: %w", b.def.Name, err)
			}
		}
		if b.def.Least != "" || b.def.Most != "" {
			var err error
			if b.bounds, err = newBounds(b.def); err != nil {
				return nil, err
			}
		}
		p.mapped[at] = true
		p.bindings = append(p.bindings, b)
	}
	for _, c := range cells {
		p.known[answer{c.TargetField, c.Value}] = c
	}
	return p, nil
}

func newEnumeration(f *entity.Field) (*enumeration, error) {
	var words, values []string
	for _, v := range f.Enum {
		words, values = append(words, v), append(values, v)
	}
	for _, s := range f.Synonyms {
		words, values = append(words, s.Word), append(values, s.Value)
	}
	e, err := value.NewEnum(words...)
	if err != nil {
		return nil, fmt.Errorf("field %s: %w", f.Name, err)
	}
	return &enumeration{words: e, values: values}, nil
}

// explain says what is wrong with a cell, in a sentence that names what the
// field takes.
func (b *binding) explain(code problem.Code, general string) string {
	switch {
	case b.def.Kind == entity.Enum:
		return general + " It is one of " + strings.Join(b.def.Enum, ", ") + "."
	case code == problem.CellTooSmall:
		return general + " The smallest is " + b.def.Least + "."
	case code == problem.CellTooLarge:
		return general + " The largest is " + b.def.Most + "."
	default:
		return general
	}
}

func parseID(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) }
