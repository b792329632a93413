package pgtable

import (
	"fmt"
	"slices"
	"strings"
)

// fact is something about a table that matters to imports.
type fact struct {
	subject string // for people, unique in the table: `column "email"`
	text    string // for people: "numeric(12,2)"; "" if existing is all that can be said
	column  string // to which it belongs; it is compared only while the column exists
	name    string // of the constraint, index, trigger or policy
	// rank orders texts: a higher one accepts less.
	rank int
	// added and gone are the categories of its addition and removal, and of a change of its text to a
	// higher or lower rank; equal ranks count as added.
	added, gone Category
}

// captureSchema is where Loadbay's own triggers on a table have their functions.
const captureSchema = "loadbay."

// facts lists what the fingerprint covers.
func (t *Table) facts() []fact {
	facts := []fact{{subject: "table", text: t.describe(), added: TypeChanged}}
	for i := range t.Columns {
		facts = append(facts, t.Columns[i].facts()...)
	}
	for i := range t.Unique {
		facts = append(facts, fact{
			subject: fmt.Sprintf("unique index %q", t.Unique[i].Name), text: t.Unique[i].describe(),
			name: t.Unique[i].Name, added: KeyChanged, gone: KeyChanged,
		})
	}
	for _, k := range [][]Check{t.Checks, t.Exclusions} {
		for i := range k {
			facts = append(facts, constraintFact(k[i].Name, k[i].Expression))
		}
	}
	for i := range t.ForeignKeys {
		facts = append(facts, constraintFact(t.ForeignKeys[i].Name, t.ForeignKeys[i].describe()))
	}
	for i := range t.Triggers {
		if g := &t.Triggers[i]; g.Enabled && !strings.HasPrefix(g.Function, captureSchema) {
			facts = append(facts, fact{
				subject: fmt.Sprintf("trigger %q", g.Name), text: g.Definition,
				name: g.Name, added: CheckChanged, gone: CheckChanged,
			})
		}
	}
	for i := range t.Policies {
		facts = append(facts, fact{
			subject: fmt.Sprintf("policy %q", t.Policies[i].Name), text: t.Policies[i].describe(),
			name: t.Policies[i].Name, added: KeyChanged, gone: KeyChanged,
		})
	}
	for _, rule := range t.Rules {
		facts = append(facts, fact{subject: fmt.Sprintf("rule %q", rule), name: rule, added: KeyChanged, gone: CheckChanged})
	}
	return append(facts, fact{subject: "row level security", text: t.describeSecurity(), added: KeyChanged})
}

func constraintFact(name, text string) fact {
	return fact{subject: fmt.Sprintf("constraint %q", name), text: text, name: name, added: CheckChanged, gone: CheckChanged}
}

func (t *Table) describe() string {
	switch {
	case t.Partition:
		return "a partition"
	case t.Partitioned:
		return "a partitioned table"
	case t.Inherited:
		return "a table that others inherit from"
	}
	return "a " + string(t.Kind)
}

func (t *Table) describeSecurity() string {
	switch {
	case t.RowSecurityEnabled && t.RowSecurityForced:
		return "enabled, also for the owner"
	case t.RowSecurityEnabled:
		return "enabled"
	}
	return "off"
}

// facts lists those of a column, beginning with its existence.
func (c *Column) facts() []fact {
	exists := fact{subject: fmt.Sprintf("column %q", c.Name), column: c.Name, added: ColumnAdded, gone: ColumnGone}
	null := fact{
		subject: fmt.Sprintf("presence of column %q", c.Name), column: c.Name,
		text: "optional", added: ColumnRequired, gone: CheckChanged,
	}
	if c.NotNull {
		null.text, null.rank = "not NULL", 1
	}
	if c.Required() {
		exists.added = ColumnRequired
		null.text, null.rank = "required", 2
	}
	facts := []fact{exists, null, {
		subject: fmt.Sprintf("type of column %q", c.Name), column: c.Name,
		text: c.describeType(), added: TypeChanged,
	}}
	for _, label := range c.Labels {
		facts = append(facts, fact{
			subject: fmt.Sprintf("value %q of column %q", label, c.Name), column: c.Name,
			added: CheckChanged, gone: TypeChanged,
		})
	}
	for i := range c.DomainChecks {
		facts = append(facts, fact{
			subject: fmt.Sprintf("constraint %q of column %q", c.DomainChecks[i].Name, c.Name), column: c.Name,
			name: c.DomainChecks[i].Name, text: c.DomainChecks[i].Expression, added: CheckChanged, gone: CheckChanged,
		})
	}
	return facts
}

func (c *Column) describeType() string {
	words := []string{c.Type}
	if c.Domain != "" {
		words = append(words, "on", c.Base)
		for _, n := range []int{c.MaxLength, c.Precision, c.Scale} {
			if n != 0 {
				words = append(words, fmt.Sprint(n))
			}
		}
	}
	if c.Collation != "" {
		words = append(words, "COLLATE", c.Collation)
	}
	if c.Identity != "" {
		words = append(words, "generated", c.Identity, "as identity")
	}
	if c.Generated {
		words = append(words, "generated")
	}
	return strings.Join(words, " ")
}

func (x *Index) describe() string {
	columns := make([]string, len(x.Columns))
	for i := range x.Columns {
		c := &x.Columns[i]
		if columns[i] = c.Column; c.Column == "" {
			columns[i] = c.Expression
		}
		if c.Collation != "" {
			columns[i] += " COLLATE " + c.Collation
		}
	}
	text := "(" + strings.Join(columns, ", ") + ")"
	if x.Predicate != "" {
		text += " WHERE " + x.Predicate
	}
	for _, property := range []struct {
		holds bool
		words string
	}{{x.Primary, "primary key"}, {x.Constraint, "constraint"}, {x.Deferrable, "deferrable"}, {!x.NullsDistinct, "NULLs not distinct"}} {
		if property.holds {
			text += ", " + property.words
		}
	}
	return text
}

func (k *ForeignKey) describe() string {
	text := fmt.Sprintf("(%s) references %s.%s (%s) on delete %s",
		strings.Join(k.From, ", "), k.Schema, k.Table, strings.Join(k.To, ", "), strings.ToLower(k.OnDelete))
	if k.Deferrable {
		text += ", deferrable"
	}
	return text
}

func (p *Policy) describe() string {
	roles := slices.Sorted(slices.Values(p.Roles))
	return fmt.Sprintf("%s permissive=%t to %s using %s with check %s", p.Command, p.Permissive, strings.Join(roles, ", "), p.Using, p.WithCheck)
}
