// Package rows turns the rows of a file into batches of typed values: which column
// fills which field, what a cell's text comes to, and what is wrong with it.
package rows

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/value"
)

// Plan says which column of the file fills which field.
type Plan struct {
	Declaration *entity.Declaration
	bindings    []binding
	mapped      []bool // by field
	rules       []rule
	missing     []*entity.Field        // required ones that no column is; none before processing begins
	decisions   map[int]valueDecisions // about values, by field
	asksUnknown bool                   // whether a person is asked about words that nobody knows
	nullUnknown bool                   // words that nobody knows are taken for no value
}

// rule is a rule over several fields, with their places.
type rule struct {
	*entity.Rule
	at []int
}

// binding is one column of the file on its way to one field.
type binding struct {
	column int
	// composed is how the cell is made where it is not that of the column, or nil.
	composed *Composition
	field    int
	def      *entity.Field
	locale   sheet.Locale // of the column
	enum     *enumeration // of Enum fields
	bounds   *bounds      // of numbers that have some
	// pattern is what texts must be like, or nil.
	pattern *regexp.Regexp
}

// enumeration finds an enum's value by any of its words.
type enumeration struct {
	words  *value.Enum
	values []string // by the place of the word
}

// NewPlan returns the plan for a file whose columns are those fields.
func NewPlan(d *entity.Declaration, columns []job.MappedColumn) (*Plan, error) {
	p := &Plan{Declaration: d, mapped: make([]bool, len(d.Fields))}
	for i := range columns {
		c := &columns[i]
		if c.TargetField == "" {
			continue
		}
		field := d.FieldIndex(c.TargetField)
		if field < 0 {
			return nil, fmt.Errorf("import type %s has no field %q", d.Name, c.TargetField)
		}
		b, err := newBinding(d, field, c)
		if err != nil {
			return nil, err
		}
		p.mapped[field] = true
		p.bindings = append(p.bindings, b)
	}
	for i := range d.Rules {
		r := rule{Rule: &d.Rules[i]}
		for _, name := range r.Fields {
			at := d.FieldIndex(name)
			if at < 0 {
				return nil, fmt.Errorf("a rule of import type %s is about %q, which is no field of it", d.Name, name)
			}
			r.at = append(r.at, at)
		}
		p.rules = append(p.rules, r)
	}
	p.missing = d.MissingFields(job.TargetFields(columns))
	return p, nil
}

// newBinding returns the way of columns to a field.
func newBinding(d *entity.Declaration, field int, c *job.MappedColumn) (b binding, err error) {
	b = binding{column: c.ColumnIndex, field: field, def: &d.Fields[field], locale: c.Locale}
	if c.IsComposed() {
		if b.composed, err = NewComposition(b.def, c); err != nil {
			return b, err
		}
	}
	if b.def.Kind == entity.Enum {
		if b.enum, err = newEnumeration(b.def); err != nil {
			return b, err
		}
	}
	if b.def.Pattern != "" {
		if b.pattern, err = regexp.Compile(b.def.Pattern); err != nil {
			return b, fmt.Errorf("field %s: %w", b.def.Name, err)
		}
	}
	if b.def.Min != "" || b.def.Max != "" {
		b.bounds, err = newBounds(b.def)
	}
	return b, err
}

// HasField reports whether a column of the file, or something else, is that field.
func (p *Plan) HasField(field string) bool {
	at := p.Declaration.FieldIndex(field)
	return at >= 0 && p.mapped[at]
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

// Subset is the plan for those fields alone, none of which has to be given, without the rules
// over several: words that nobody knows are taken for no value. ok is false if what a value
// of one comes to is not known from the row and from what people have said about words, but
// is looked up.
func (p *Plan) Subset(fields []string) (only *Plan, ok bool) {
	only = &Plan{Declaration: p.Declaration, mapped: make([]bool, len(p.mapped)), decisions: p.decisions, nullUnknown: true}
	for _, b := range p.bindings {
		if !slices.Contains(fields, b.def.Name) {
			continue
		}
		if b.def.Lookup != nil {
			return nil, false
		}
		only.mapped[b.field] = true
		only.bindings = append(only.bindings, b)
	}
	return only, true
}
