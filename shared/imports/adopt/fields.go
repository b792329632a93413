package adopt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
)

// draftFields drafts a field for each column that a file can fill.
func (d *drafter) draftFields() {
	taken := map[string]bool{}
	d.skipGeneratedIdentity()
	var local []string
	for i := range d.Table.Columns {
		c := &d.Table.Columns[i]
		if d.skipped[c.Name] || c.Generated {
			continue
		}
		if why := unsupported(c); why != "" {
			d.find(false, "", "Column %s is left out: its type is %s, %s.", c.Name, c.Type, why)
			continue
		}
		path := fmt.Sprintf("fields[%d]", len(d.Declaration.Fields))
		f := declared.Field{Name: distinct(fieldName(c.Name), taken), Column: c.Name, Title: title(c.Name, ""), Required: c.Required(), Personal: isPersonal(c.Name)}
		switch {
		case isText(c) && isEmail(c.Name):
			f.Kind = "email"
		case c.Base == "timestamp without time zone":
			f.Zone = "UTC"
			local = append(local, c.Name)
		case c.Base == "real", c.Base == "double precision":
			d.find(false, path, "Column %s is %s, which does not keep all decimals. Amounts of money need numeric.", c.Name, c.Type)
		}
		if alias := strings.TrimSpace(c.Comment); alias != "" && len([]rune(alias)) <= maxAlias && !strings.ContainsAny(alias, ".;=\n") && !strings.EqualFold(alias, f.Title) {
			f.Aliases = []string{alias}
		}
		d.draftReference(path, &f, c, taken)
		d.fields[c.Name] = f.Name
		d.Declaration.Fields = append(d.Declaration.Fields, f)
	}
	if len(local) > 0 {
		d.find(true, "fields", "Columns without a time zone hold times in UTC, as far as Loadbay knows: %s. Set zone if they hold those of another place.", strings.Join(local, ", "))
	}
}

// maxAlias is the maximum length of a column's comment that can be a header; longer ones explain.
const maxAlias = 40

// skipGeneratedIdentity leaves out an id that the table generates, unless nothing else identifies a
// row to people.
func (d *drafter) skipGeneratedIdentity() {
	if len(d.Declaration.Identity) != 1 {
		return
	}
	name := d.Declaration.Identity[0]
	if d.Table.Column(name).Required() {
		return
	}
	d.skipped[name] = true
	if len(d.usableIndexes())+len(d.usableCandidates()) == 0 {
		delete(d.skipped, name)
	}
}

func isText(c *pgtable.Column) bool {
	return slices.Contains([]string{"text", "character varying", "character"}, c.Base) || strings.HasSuffix(c.Base, "citext")
}

// draftTenant looks for the organisation that a row belongs to.
func (d *drafter) draftTenant() {
	if d.Granted != nil {
		d.Declaration.Tenant, d.tenant = d.Granted.Tenant, d.Granted.Tenant.Column
		d.skipped[d.tenant] = true
		return
	}
	d.Declaration.Tenant = declared.Tenant{None: true}
	if d.tenant = tenantColumn(d.Table); d.tenant != "" {
		d.skipped[d.tenant] = true
		d.Declaration.Tenant = declared.Tenant{Column: d.tenant, Value: "organisation"}
		d.find(true, "tenant", "Column %s seems to hold the organisation. It must contain the same id as Loadbay's organisations; write another value, or none: true, otherwise.", d.tenant)
	} else if !d.Table.RowSecurityEnabled {
		d.find(false, "tenant", "No column holds an organisation, so only one organisation can use this type.")
	}
	if d.Table.RowSecurity {
		d.draftSession()
	}
	if d.Table.RowSecurityEnabled {
		d.find(true, "tenant", "The table has policies (%s) for its rows. Make sure that they show the role %s all rows that imports may change.", strings.Join(policyNames(d.Table), ", "), d.Role)
	}
}

// draftSession sets the settings that the table's policies read.
func (d *drafter) draftSession() {
	t := &d.Declaration.Tenant
	for _, name := range settingsOf(d.Table) {
		if name == organisationSetting || !declared.ValidSetting(name) {
			continue
		}
		if t.Session == nil {
			t.None, t.Session = false, make(map[string]string)
		}
		t.Session[name] = declared.ValueOrganisation
		d.find(true, "tenant", "Policies read the setting %s. Imports set it to the id of Loadbay's organisation; write another value if the table has other ids.", name)
	}
}

func policyNames(t *pgtable.Table) []string {
	names := make([]string, len(t.Policies))
	for i := range t.Policies {
		names[i] = t.Policies[i].Name
	}
	return names
}

// draftDeleted looks for the column that marks deleted rows.
func (d *drafter) draftDeleted() {
	for i := range d.Table.Columns {
		c := &d.Table.Columns[i]
		isTime := strings.HasPrefix(c.Base, "timestamp") || c.Base == "date"
		if isTime && !c.NotNull && is(c.Name, "deletedat", "deletedon", "removedat", "deleted") || c.Base == "boolean" && is(c.Name, "deleted", "isdeleted") {
			d.skipped[c.Name] = true
			d.Declaration.Deleted = &declared.Deleted{Column: c.Name, Again: declared.Revive}
			d.find(true, "deleted", "Column %s seems to mark deleted rows. A file that contains the key of a deleted row revives it; write error or new if it should not.", c.Name)
			return
		}
	}
}

// draftTouched looks for the columns that hold the time of the last change.
func (d *drafter) draftTouched() {
	for i := range d.Table.Columns {
		c := &d.Table.Columns[i]
		if strings.HasPrefix(c.Base, "timestamp") && !c.Generated && (is(c.Name, "updatedat", "lastupdate", "lastupdated", "updatedon", "modifiedat", "modifieddate", "lastmodified", "modified", "updated", "changedat") || d.isSetByTrigger(c)) {
			d.Declaration.Touched = append(d.Declaration.Touched, c.Name)
			d.skipped[c.Name] = true
		}
	}
}

// isSetByTrigger reports whether a trigger sets a column to the current time.
func (d *drafter) isSetByTrigger(c *pgtable.Column) bool {
	for i := range d.Table.Triggers {
		g := &d.Table.Triggers[i]
		if !g.Before || !g.Row || !g.Update || !g.Enabled {
			continue
		}
		source := strings.ToLower(strings.Join(strings.Fields(d.Functions[g.Function]), " "))
		if at := strings.Index(source, "new."+strings.ToLower(c.Name)); at >= 0 {
			statement, _, _ := strings.Cut(source[at:], ";")
			if strings.Contains(statement, "now()") || strings.Contains(statement, "current_timestamp") || strings.Contains(statement, "clock_timestamp") {
				return true
			}
		}
		if strings.HasSuffix(g.Function, ".moddatetime") && strings.Contains(g.Definition, "'"+c.Name+"'") {
			return true
		}
	}
	return false
}

// draftPerson declares that rows are about persons if they contain an e-mail address and a name.
func (d *drafter) draftPerson() {
	email, named := "", false
	for i := range d.Declaration.Fields {
		f := &d.Declaration.Fields[i]
		if f.Kind == "email" && email == "" {
			email = f.Name
		}
		named = named || isFirstName(f.Column) || isLastName(f.Column) || endsIn(f.Column, "fullname")
	}
	switch {
	case email != "" && named:
		d.Declaration.Person = &declared.Person{Key: email}
		d.find(true, "person", "Rows seem to be about persons, whom %s identifies. An erasure of a person finds them by it.", email)
	case !named:
		for i := range d.Declaration.Fields {
			if f := &d.Declaration.Fields[i]; !isEmail(f.Column) {
				f.Personal = false
			}
		}
	}
}
