// Package rows converts the rows of a file into batches of typed values: it maps columns to
// fields, parses cells and reports their errors.
package rows

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/value"
	"github.com/loadbay/loadbay/shared/transform"
)

// Plan maps columns of the file to fields.
type Plan struct {
	Declaration *entity.Declaration
	bindings    []binding
	mapped      []bool // by field
	rules       []rule
	missing     []*entity.Field        // required fields without a column; empty before processing starts
	decisions   map[int]valueDecisions // decisions about values, by field
	asksUnknown bool                   // whether a person is asked about unknown words
	nullUnknown bool                   // unknown words become NULL
	// computed are the type's computed fields; expressions compute them, and check conditions.
	computed    []binding
	expressions entity.Expressions
}

// rule is a rule that involves several fields, with their indexes.
type rule struct {
	*entity.Rule
	at []int
}

// binding connects a column of the file to a field.
type binding struct {
	column int
	// composed defines how the cell is composed; nil for an unchanged column.
	composed *Composition
	field    int
	def      *entity.Field
	locale   sheet.Locale // locale of the column
	enum     *enumeration // for Enum fields
	bounds   *bounds      // for numbers with limits
	// factor converts numbers of the column to the field's unit; nil for none.
	factor *transform.Factor
	// pattern is the pattern that texts must match, or nil.
	pattern *regexp.Regexp
}

// enumeration looks up an enum value by any of its words.
type enumeration struct {
	words  *value.Enum
	values []string // by index of the word
}

// NewPlan returns the plan for a file with these columns.
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
		b, err := newBinding(&d.Fields[field], field, c)
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
				return nil, fmt.Errorf("rule of import type %s names unknown field %q", d.Name, name)
			}
			r.at = append(r.at, at)
		}
		p.rules = append(p.rules, r)
	}
	p.missing = d.MissingFields(job.TargetFields(columns))
	return p, p.addExpressions()
}

// addExpressions adds the computed fields and the conditions of a declared type.
func (p *Plan) addExpressions() error {
	if p.expressions = p.Declaration.Expressions; p.expressions == nil {
		return nil
	}
	for k := range p.Declaration.Computed {
		b, err := newBinding(&p.Declaration.Computed[k], len(p.Declaration.Fields)+k, &job.MappedColumn{})
		if err != nil {
			return err
		}
		p.computed = append(p.computed, b)
	}
	return nil
}

// mappedFor returns which fields and computed fields have values in an import in the mode. A computed
// field has one if the file has columns for all its inputs: other values of existing rows are unknown.
func (p *Plan) mappedFor(mode rowwrite.Mode) []bool {
	mapped := slices.Clone(p.mapped)
	for k := range p.computed {
		unknown := slices.ContainsFunc(p.expressions.Inputs(k), func(field int) bool { return !p.mapped[field] })
		mapped = append(mapped, !unknown || mode == rowwrite.Insert)
	}
	return mapped
}

// newBinding returns the binding of a column to a field with the index.
func newBinding(def *entity.Field, field int, c *job.MappedColumn) (b binding, err error) {
	b = binding{column: c.ColumnIndex, field: field, def: def, locale: c.Locale}
	if c.IsComposed() {
		if b.composed, err = NewComposition(b.def, c); err != nil {
			return b, err
		}
	}
	if unit := transform.ConvertedUnit(c.Transforms); unit != "" {
		var ok bool
		if b.factor, ok = transform.NewFactor(unit, b.def.Unit); !ok || b.def.Kind != entity.Decimal {
			return b, fmt.Errorf("field %s: cannot convert from %q", b.def.Name, unit)
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

// HasField reports whether a column of the file, or a constant, is mapped to the field.
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

// Subset returns the plan for these fields only, all optional, without the rules that involve
// several fields; unknown words become NULL. ok is false if a value of one of the fields is not
// determined by the row and the decisions about words, but requires a lookup.
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
