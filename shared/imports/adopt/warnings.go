package adopt

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
)

// warn lists properties of the table that importers should know.
func (d *drafter) warn() {
	for i := range d.Table.Unique {
		x := &d.Table.Unique[i]
		if columns, _ := x.Plain(); d.tenant != "" && !slices.Contains(columns, d.tenant) && !slices.Equal(columns, d.Declaration.Identity) && !usesTenant(x, d.tenant) {
			d.find(false, "keys", "Unique index %s does not contain %s: a value that another organisation has is refused.", x.Name, d.tenant)
		}
	}
	for i := range d.Table.Triggers {
		if g := &d.Table.Triggers[i]; g.Enabled {
			d.warnOfTrigger(g)
		}
	}
	for i := range d.Table.References {
		if k := &d.Table.References[i]; k.OnDelete == "CASCADE" || k.OnDelete == "SET NULL" {
			d.find(false, "", "Rows of %s refer to this table (ON DELETE %s). An undo keeps the rows that they refer to.", TableName(k.Schema, k.Table), k.OnDelete)
		}
	}
	if d.Counts == nil {
		d.find(false, "keys", "Loadbay may not read the rows yet, so columns that are unique without an index are not known. Draft the type again after the grants.")
	}
}

func usesTenant(x *pgtable.Index, tenant string) bool {
	return slices.ContainsFunc(x.Columns, func(c pgtable.IndexColumn) bool { return c.Column == tenant || slices.Contains(c.Uses, tenant) })
}

func (d *drafter) warnOfTrigger(g *pgtable.Trigger) {
	switch {
	case HasOutsideEffects(g, d.Functions[g.Function]):
		d.find(false, "", "Trigger %s may have effects outside the database, which a preview cannot roll back. Read its function %s before you preview imports.", g.Name, g.Function)
	case g.Before && g.Row && !d.onlyTouches(g):
		d.find(false, "", "Trigger %s can change or refuse rows before they are written. Results show what was written.", g.Name)
	}
}

// onlyTouches reports whether a trigger is one that sets a touched column.
func (d *drafter) onlyTouches(g *pgtable.Trigger) bool {
	source := strings.ToLower(d.Functions[g.Function])
	return slices.ContainsFunc(d.Declaration.Touched, func(name string) bool {
		return strings.Count(source, "new.") == 1 && strings.Contains(source, "new."+strings.ToLower(name)) || strings.Contains(g.Definition, "'"+name+"'")
	})
}

var outside = regexp.MustCompile(`(?i)\b(dblink\w*|http_\w+|net\s*\.\s*http_\w+|pg_net|aws_lambda\w*|aws_s3\w*|lo_export|pg_background\w*|pg_file_write)\b|\bcopy\b[^;]*\bprogram\b`)

// harmless are the functions in C that Postgres brings.
var harmless = []string{"tsvector_update_trigger", "tsvector_update_trigger_column", "suppress_redundant_updates_trigger", "moddatetime", "insert_username", "autoinc", "tcn", "triggered_change_notification", "lo_manage", "unique_key_recheck"}

// HasOutsideEffects reports whether a trigger's function could do something that a rollback does not
// undo: it is in a language without limits, or calls another system.
func HasOutsideEffects(g *pgtable.Trigger, source string) bool {
	_, name, _ := strings.Cut(g.Function, ".")
	if slices.Contains(harmless, name) {
		return false
	}
	return !g.Trusted && g.Language != "internal" || outside.MatchString(source)
}

// grants lists the privileges that the role of imports lacks.
func (d *drafter) grants() {
	t, role := d.Table, pgx.Identifier{d.Role}.Sanitize()
	if !t.Usage {
		d.Grants = append(d.Grants, fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO %s;", pgx.Identifier{t.Schema}.Sanitize(), role))
	}
	if missing := missingPrivileges(t, d.Declaration.Fields); len(missing) > 0 {
		d.Grants = append(d.Grants, fmt.Sprintf("GRANT %s ON %s TO %s;", strings.Join(missing, ", "), d.sqlName(), role))
	}
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Sequence != "" && !c.SequenceUsage {
			d.Grants = append(d.Grants, fmt.Sprintf("GRANT USAGE ON SEQUENCE %s TO %s;", c.Sequence, role))
		}
	}
	for _, f := range d.Declaration.Fields {
		if f.Reference != nil && !f.Reference.Self {
			d.grantReference(f.Reference, role)
		}
	}
	if !t.Delete {
		d.Optional = append(d.Optional, fmt.Sprintf("GRANT DELETE ON %s TO %s; -- so that an undo can remove the rows that an import has created", d.sqlName(), role))
	}
}

// missingPrivileges returns what the role lacks on the table.
func missingPrivileges(t *pgtable.Table, fields []declared.Field) []string {
	var missing []string
	for _, p := range []struct {
		name string
		has  func(*pgtable.Column) bool
	}{
		{"SELECT", func(c *pgtable.Column) bool { return c.Select }},
		{"INSERT", func(c *pgtable.Column) bool { return c.Insert }},
		{"UPDATE", func(c *pgtable.Column) bool { return c.Update }},
	} {
		if slices.ContainsFunc(fields, func(f declared.Field) bool {
			column := t.Column(f.Column)
			return column != nil && !p.has(column)
		}) {
			missing = append(missing, p.name)
		}
	}
	return missing
}

// grantReference lists what the role needs to look up rows of another table.
func (d *drafter) grantReference(r *declared.Reference, role string) {
	schema, table, _ := declared.SplitTable(r.Table)
	other := d.Referenced[[2]string{schema, table}]
	if other == nil {
		return
	}
	if !other.Usage {
		d.grantOnce(fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO %s;", pgx.Identifier{schema}.Sanitize(), role))
	}
	if slices.ContainsFunc(other.Columns, func(c pgtable.Column) bool { return !c.Select }) {
		d.grantOnce(fmt.Sprintf("GRANT SELECT ON %s TO %s;", pgx.Identifier{schema, table}.Sanitize(), role))
	}
}

func (d *drafter) grantOnce(sql string) {
	if !slices.Contains(d.Grants, sql) {
		d.Grants = append(d.Grants, sql)
	}
}
