package pgtable

import "slices"

// catalogue is the answer to query: a Table with columns that refer to types.
type catalogue struct {
	OID                                   uint32
	Relkind                               string
	Partition, Inherited                  bool
	Comment                               string
	Rows                                  int64
	RowSecurity                           bool
	RowSecurityEnabled, RowSecurityForced bool
	Owned, Usage, Delete, Trigger         bool
	Columns                               []catalogueColumn
	Types                                 []catalogueType
	Unique                                []Index
	Constraints                           []struct {
		Check
		Kind string
	}
	ForeignKeys []struct {
		ForeignKey
		Own, Here bool
	}
	Triggers []struct {
		Trigger
		Bits int
	}
	Rules    []string
	Policies []struct {
		Policy
		CommandCode string
	}
}

type catalogueColumn struct {
	Column
	TypeOID      uint32
	Modifier     int
	IdentityCode string
}

type catalogueType struct {
	OID                    uint32
	Name, Kind, Category   string
	Base, Element, Subtype uint32
	Modifier               int
	NotNull                bool
	Default                string
	Labels                 []string
	Checks                 []Check
	Hash, Compare          bool // it has an operator class of its own
}

var (
	kinds    = map[string]Kind{"r": TableKind, "p": TableKind, "v": View, "m": MaterializedView, "f": ForeignTable}
	onDelete = map[string]string{"a": "NO ACTION", "r": "RESTRICT", "c": "CASCADE", "n": "SET NULL", "d": "SET DEFAULT"}
	commands = map[string]string{"*": "ALL", "r": "SELECT", "a": "INSERT", "w": "UPDATE", "d": "DELETE"}
)

// table converts the answer.
func (c *catalogue) table(schema, name string) *Table {
	t := &Table{
		Schema: schema, Name: name, OID: c.OID, Kind: OtherKind,
		Partitioned: c.Relkind == "p", Partition: c.Partition, Inherited: c.Inherited,
		Comment: c.Comment, Rows: c.Rows, Unique: c.Unique, Rules: c.Rules,
		RowSecurity: c.RowSecurity, RowSecurityEnabled: c.RowSecurityEnabled, RowSecurityForced: c.RowSecurityForced,
		Owned: c.Owned, Usage: c.Usage, Delete: c.Delete, Trigger: c.Trigger,
	}
	if kind, ok := kinds[c.Relkind]; ok {
		t.Kind = kind
	}
	for i := range c.Constraints {
		if k := &c.Constraints[i]; k.Kind == "c" {
			t.Checks = append(t.Checks, k.Check)
		} else {
			t.Exclusions = append(t.Exclusions, k.Check)
		}
	}
	c.addColumns(t)
	c.addForeignKeys(t)
	c.addTriggers(t)
	for i := range c.Policies {
		p := c.Policies[i].Policy
		p.Command = commands[c.Policies[i].CommandCode]
		t.Policies = append(t.Policies, p)
	}
	names := columnNames(t.Columns)
	for i := range t.Unique {
		for j := range t.Unique[i].Columns {
			if x := &t.Unique[i].Columns[j]; x.Expression != "" {
				x.Uses = columnsOf(x.Expression, names)
			}
		}
	}
	return t
}

func (c *catalogue) addForeignKeys(t *Table) {
	for i := range c.ForeignKeys {
		k := &c.ForeignKeys[i]
		k.OnDelete = onDelete[k.OnDelete]
		if k.Own {
			t.ForeignKeys = append(t.ForeignKeys, k.ForeignKey)
		}
		if k.Here {
			t.References = append(t.References, k.ForeignKey)
		}
	}
}

// Bits of pg_trigger.tgtype.
const (
	triggerRow    = 1
	triggerBefore = 1 << 1
	triggerInsert = 1 << 2
	triggerDelete = 1 << 3
	triggerUpdate = 1 << 4
)

func (c *catalogue) addTriggers(t *Table) {
	for i := range c.Triggers {
		g, bits := c.Triggers[i].Trigger, c.Triggers[i].Bits
		g.Row, g.Before = bits&triggerRow != 0, bits&triggerBefore != 0
		g.Insert, g.Update, g.Delete = bits&triggerInsert != 0, bits&triggerUpdate != 0, bits&triggerDelete != 0
		t.Triggers = append(t.Triggers, g)
	}
}

func (c *catalogue) addColumns(t *Table) {
	types := make(map[uint32]*catalogueType, len(c.Types))
	for i := range c.Types {
		types[c.Types[i].OID] = &c.Types[i]
	}
	for i := range c.Columns {
		column := c.Columns[i].Column
		column.Identity = map[string]string{"a": "always", "d": "by default"}[c.Columns[i].IdentityCode]
		resolveType(&column, types, c.Columns[i].TypeOID, c.Columns[i].Modifier)
		column.Words = words(&column, t.Checks)
		t.Columns = append(t.Columns, column)
	}
}

// resolveType follows a column's type through its domains.
func resolveType(column *Column, types map[uint32]*catalogueType, oid uint32, modifier int) {
	of := types[oid]
	if of.Kind == "d" {
		column.Domain = of.Name
	}
	for of.Kind == "d" {
		column.NotNull = column.NotNull || of.NotNull
		column.DomainChecks = append(column.DomainChecks, of.Checks...)
		if column.Default == "" && column.Identity == "" && !column.Generated {
			column.Default = of.Default
		}
		modifier, of = of.Modifier, types[of.Base]
	}
	column.Base, column.TypeKind, column.Labels = of.Name, of.Kind, of.Labels
	column.Hashable = hasOperators(types, of, func(t *catalogueType) bool { return t.Hash })
	column.Comparable = hasOperators(types, of, func(t *catalogueType) bool { return t.Compare })
	if element := types[of.Element]; element != nil {
		for element.Kind == "d" {
			element = types[element.Base]
		}
		column.Element, column.Labels = element.Name, element.Labels
	}
	if of.Category == "S" && !slices.Contains([]string{"text", "character varying", "name"}, of.Name) {
		column.Deterministic = false // citext ignores case, char(n) ignores blanks at the end
	}
	applyModifier(column, modifier)
}

// hasOperators reports whether a type has an operator class, or consists of one that has.
func hasOperators(types map[uint32]*catalogueType, t *catalogueType, own func(*catalogueType) bool) bool {
	for t.Kind == "d" {
		t = types[t.Base]
	}
	switch {
	case t.Kind == "e":
		return true
	case own(t):
		return true
	case types[t.Element] != nil:
		return hasOperators(types, types[t.Element], own)
	case types[t.Subtype] != nil:
		return hasOperators(types, types[t.Subtype], own)
	}
	return false
}

// modifierHeader is added to the length and to the precision in pg_attribute.atttypmod.
const modifierHeader = 4

// applyModifier sets the length, precision and scale.
func applyModifier(c *Column, modifier int) {
	c.Fraction = -1
	if modifier < 0 {
		return
	}
	base := c.Base
	if c.Element != "" {
		base = c.Element
	}
	switch base {
	case "character varying", "character":
		c.MaxLength = modifier - modifierHeader
	case "numeric":
		bits := modifier - modifierHeader
		c.Precision, c.Scale = bits>>16&0xffff, (bits&0x7ff^0x400)-0x400 // the scale has a sign
	case "time without time zone", "time with time zone", "timestamp without time zone", "timestamp with time zone":
		c.Fraction = modifier
	}
}

func columnNames(columns []Column) []string {
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = columns[i].Name
	}
	return names
}
