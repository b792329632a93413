package tablegrant

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/problem"
)

// Tables returns the tables that a declaration names, as schemas and names in the same order.
func Tables(d *declared.Declaration) (schemas, names []string) {
	add := func(table string) {
		if schema, name, ok := declared.SplitTable(table); ok {
			schemas, names = append(schemas, schema), append(names, name)
		}
	}
	add(d.Target.Table)
	for i := range d.Fields {
		if r := d.Fields[i].Reference; r != nil {
			add(r.Table)
		}
	}
	return schemas, names
}

// Check refuses a declaration that the grants of its tables do not permit, with TABLE_NOT_ALLOWED. It
// does not look at the database, so the answer is the same whether or not a table exists.
func Check(d *declared.Declaration, grants []Grant) error {
	refused := problem.New(problem.TableNotAllowed, "No operator has granted your organisation what the declaration of %s uses. Use a granted table as it was granted, or ask an operator for a grant.", d.Name)
	if path, rule := checkTarget(d, grants); path != "" {
		refused = refused.With(path, problem.TableNotAllowed, rule)
	}
	for i := range d.Fields {
		if r := d.Fields[i].Reference; r != nil && !mayRefer(d, r, grants) {
			refused = refused.With(fmt.Sprintf("fields[%d].reference", i), problem.TableNotAllowed,
				fmt.Sprintf("An operator has to grant references to %s%s.", r.Table, missingWithin(d, r, grants)))
		}
	}
	if len(refused.Fields) == 0 {
		return nil
	}
	return refused
}

// checkTarget returns the part of a declaration that no grant permits, and what it may be; "" if a grant
// permits the target.
func checkTarget(d *declared.Declaration, grants []Grant) (path, rule string) {
	path, rule = "target.table", "A table that an operator has granted to your organisation."
	for i := range grants {
		g := &grants[i]
		switch {
		case g.ReferenceOnly || !g.is(d.Target.Table):
		case !sameTenant(&g.Tenant, &d.Tenant):
			if path != "modes" {
				path, rule = "tenant", "The tenant of the grant: "+describe(&g.Tenant)+"."
			}
		case !g.permitsModes(d.Modes):
			path, rule = "modes", "Only modes of the grant: "+strings.Join(g.Modes, ", ")+"."
		default:
			return "", ""
		}
	}
	return path, rule
}

// is reports whether the grant is about a table.
func (g *Grant) is(table string) bool {
	schema, name, ok := declared.SplitTable(table)
	return ok && g.Schema == schema && g.Table == name
}

// permitsModes reports whether a declaration with these modes is permitted: without any, it has all.
func (g *Grant) permitsModes(modes []string) bool {
	if len(g.Modes) == 0 {
		return true
	}
	return len(modes) > 0 && !slices.ContainsFunc(modes, func(mode string) bool { return !slices.Contains(g.Modes, mode) })
}

// mayRefer reports whether a grant permits a reference: its rows include those that the reference finds.
func mayRefer(d *declared.Declaration, r *declared.Reference, grants []Grant) bool {
	found := referenceTenant(d, r)
	return slices.ContainsFunc(grants, func(g Grant) bool {
		return g.is(r.Table) && (allRows(&g.Tenant) || sameTenant(&g.Tenant, &found) || withinColumn(&g.Tenant, &found))
	})
}

// withinColumn reports whether a reference selects the rows of a grant by its column. The policies that
// read the settings of the grant, if it has any, apply as well.
func withinColumn(granted, found *declared.Tenant) bool {
	return granted.Column != "" && granted.Column == found.Column && granted.Value == found.Value
}

// referenceTenant returns the rows that a reference finds: those of the tenant by a column of the other
// table, or else those that its policies show, or all.
func referenceTenant(d *declared.Declaration, r *declared.Reference) declared.Tenant {
	switch {
	case r.Within != "" && d.Tenant.Column != "":
		return declared.Tenant{Column: r.Within, Value: d.Tenant.Value}
	case len(d.Tenant.Session) > 0 && r.Within == "":
		return declared.Tenant{Session: d.Tenant.Session}
	default:
		return declared.Tenant{None: true}
	}
}

// missingWithin says which column a reference to a granted table needs; "" if that would not help.
func missingWithin(d *declared.Declaration, r *declared.Reference, grants []Grant) string {
	for i := range grants {
		if g := &grants[i]; g.is(r.Table) && g.Tenant.Column != "" && g.Tenant.Value == d.Tenant.Value {
			return ", or the reference needs within: " + g.Tenant.Column
		}
	}
	return ""
}

// Uses returns the grants that a declaration needs, for an organisation that may use all tables.
func Uses(d *declared.Declaration) (grants []Grant) {
	schema, name, _ := declared.SplitTable(d.Target.Table)
	grants = append(grants, Grant{Schema: schema, Table: name, Tenant: d.Tenant})
	for i := range d.Fields {
		r := d.Fields[i].Reference
		if r == nil {
			continue
		}
		schema, name, _ := declared.SplitTable(r.Table)
		grants = append(grants, Grant{Schema: schema, Table: name, Tenant: referenceTenant(d, r), ReferenceOnly: true})
	}
	return grants
}
