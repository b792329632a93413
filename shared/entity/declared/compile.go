package declared

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/entitytable"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// Type is an import type that a declaration describes. It writes rows of a table that has no columns
// of Loadbay's.
type Type struct {
	declaration *Declaration
	entity      entity.Declaration
	table       *pgtable.Table
	name        string  // of the table in SQL
	fields      []field // in the order of entity.Fields and entity.Computed
	keys        []key
	identity    []*pgtable.Column
	tenant      *pgtable.Column // nil if one organisation has the whole table
	deleted     *pgtable.Column // nil if rows are not marked as deleted
	touched     []*pgtable.Column
	stored      entitytable.Table // as plans, undos and change sets use it
	compared    atomic.Pointer[comparison]
}

// field is a column that files contain.
type field struct {
	*pgtable.Column
	declared *Field
	kind     entity.Kind
	identity bool // part of the identity: an update does not change it
}

// Compile returns the type that a declaration describes for a table. The error is a problem.Error
// that names each wrong part of the declaration.
func Compile(d *Declaration, t *pgtable.Table) (*Type, error) {
	c := &compiler{
		Type: &Type{declaration: d, table: t, name: pgx.Identifier{t.Schema, t.Name}.Sanitize()},
		err:  problem.New(problem.DeclarationInvalid, "The declaration of %s does not fit the table %s.%s.", d.Name, t.Schema, t.Name),
	}
	c.compileTarget()
	c.compileFields()
	c.compileKeys()
	for i := range c.keys {
		if k := &c.keys[i]; !k.guarded {
			c.stored.Declared.Unguarded = append(c.stored.Declared.Unguarded, entitytable.Key{Parts: k.parts, Equals: k.equals, Partial: k.predicate != ""})
		}
	}
	c.stored.Declared.Alive = c.alive()
	c.compileModes()
	if len(c.err.Fields) > 0 {
		return nil, c.err
	}
	c.entity = entity.Declaration{
		Name: d.Name, Resource: strings.ToLower(d.Name), Title: d.Title, Subjects: d.Subjects,
		Export: c.export(), Modes: c.modes,
	}
	c.entity.Fields, c.entity.Computed = c.entityFields()
	return c.Type, nil
}

// Declaration returns what the rest of Loadbay knows about the type.
func (t *Type) Declaration() *entity.Declaration { return &t.entity }

// EntityTable returns the table if it has the name in change sets.
func (t *Type) EntityTable(name string) *entitytable.Table {
	if name != t.stored.Name {
		return nil
	}
	return &t.stored
}

// Source returns the declaration as its author wrote it.
func (t *Type) Source() *Declaration { return t.declaration }

// KeepsValues returns the names of the fields of which empty cells leave the values of existing rows as
// they are.
func (t *Type) KeepsValues() map[string]bool {
	keeps := make(map[string]bool, len(t.fields))
	for i := range t.fields {
		keeps[t.fields[i].declared.Name] = t.fields[i].keepsValue()
	}
	return keeps
}

// compiler collects the errors of a declaration.
type compiler struct {
	*Type
	modes []rowwrite.Mode
	err   *problem.Error
}

func (c *compiler) compileModes() {
	for _, mode := range c.declaration.Modes {
		c.modes = append(c.modes, rowwrite.Mode(mode))
	}
	if len(c.modes) == 0 {
		c.modes = []rowwrite.Mode{rowwrite.Upsert, rowwrite.Insert, rowwrite.Update}
	}
}

// refuse reports a part of the declaration that does not fit the table.
func (c *compiler) refuse(path, format string, args ...any) {
	c.err = c.err.With(path, problem.DeclarationInvalid, fmt.Sprintf(format, args...))
}

// column returns a column of the table; it reports a missing one.
func (c *compiler) column(path, name string) *pgtable.Column {
	if column := c.table.Column(name); column != nil {
		return column
	}
	c.refuse(path, "The table %s.%s has no column %s.", c.table.Schema, c.table.Name, name)
	return nil
}

// readable is column for a column that the role must be able to read.
func (c *compiler) readable(path, name string) *pgtable.Column {
	column := c.column(path, name)
	if column != nil && !column.Select {
		c.refuse(path, "The role may not read column %s. Grant SELECT on it.", name)
		return nil
	}
	return column
}

func (c *compiler) compileTarget() {
	d := c.declaration
	if len(d.Tenant.Session) > 0 && !c.table.RowSecurity {
		c.refuse("tenant.session", "No policies apply to Loadbay's role in this table, so settings restrict no rows. Enable row level security, or use a column.")
	}
	if d.Tenant.Column != "" {
		if c.tenant = c.readable("tenant.column", d.Tenant.Column); c.tenant != nil && !c.tenant.Insert {
			c.refuse("tenant.column", "The role may not write column %s. Grant INSERT on it.", c.tenant.Name)
		}
	}
	for i, name := range d.Identity {
		if column := c.readable(index("identity", i), name); column != nil {
			c.identity = append(c.identity, column)
		}
	}
	if len(c.identity) == len(d.Identity) && !c.hasIdentity() {
		c.refuse("identity", "No unique index without NULLs consists of these columns. Name those of the primary key.")
	}
	if d.Deleted != nil {
		c.deleted = c.readable("deleted.column", d.Deleted.Column)
	}
	for i, name := range d.Touched {
		if column := c.column(index("touched", i), name); column != nil && column.Update {
			c.touched = append(c.touched, column)
		}
	}
	for i := range c.table.Columns {
		column := &c.table.Columns[i]
		if !column.Select || column.Generated || column == c.tenant {
			continue
		}
		c.stored.Columns = append(c.stored.Columns, storedColumn(column))
	}
	if len(c.stored.Columns) > changeset.MaxColumns {
		c.refuse("target.table", "The table has more than %d columns.", changeset.MaxColumns)
	}
	c.stored.Name = joinTable(c.table.Schema, c.table.Name)
	for _, column := range c.identity {
		c.stored.Identity = append(c.stored.Identity, storedColumn(column))
	}
	c.stored.Declared = &entitytable.Declared{
		Schema: c.table.Schema, Table: c.table.Name, Off: d.Capture == CaptureOff,
	}
	if c.tenant != nil {
		c.stored.Declared.TenantColumn, c.stored.Declared.TenantValue = c.tenant.Name, c.tenantValue(c.tenant)
	}
	for _, column := range c.touched {
		c.stored.Declared.Touched = append(c.stored.Declared.Touched, column.Name)
	}
}

func storedColumn(column *pgtable.Column) entitytable.Column {
	return entitytable.Column{Name: column.Name, Type: baseType(column), Equals: equals(column), Unhashable: !column.Hashable, Incomparable: comparedAsText(column)}
}

// hasIdentity reports whether a unique index guarantees that the identity's columns identify a row.
func (c *compiler) hasIdentity() bool {
	return slices.ContainsFunc(c.table.Unique, func(x pgtable.Index) bool {
		return x.Predicate == "" && len(x.Columns) > 0 && !slices.ContainsFunc(x.Columns, func(part pgtable.IndexColumn) bool {
			at := slices.IndexFunc(c.identity, func(column *pgtable.Column) bool { return column.Name == part.Column })
			return at < 0 || !c.identity[at].NotNull
		})
	})
}

func (c *compiler) compileFields() {
	for i := range c.declaration.Fields {
		f, path := &c.declaration.Fields[i], index("fields", i)
		column := c.readable(path+".column", f.Column)
		if column == nil {
			continue
		}
		switch {
		case column.Generated:
			c.refuse(path+".column", "The table computes column %s itself. Remove the field.", column.Name)
		case column.Base == "money":
			c.refuse(path+".column", "Column %s is money, whose values depend on a setting of the database. Remove the field, or change the column to numeric.", column.Name)
		case column == c.tenant:
			c.refuse(path+".column", "Column %s holds the tenant, which files cannot set. Remove the field.", column.Name)
		case !column.Insert:
			c.refuse(path+".column", "The role may not write column %s. Grant INSERT on it.", column.Name)
		}
		kind, why := kindOf(f, column)
		if why != "" {
			c.refuse(path+".kind", "%s", why)
		}
		if f.Reference != nil {
			kind = c.compileReference(path+".reference", f, column, kind)
		}
		compiled := field{Column: column, declared: f, kind: kind, identity: slices.Contains(c.identity, column)}
		if f.Computed != "" {
			c.compileComputed(path, &compiled)
		}
		c.fields = append(c.fields, compiled)
	}
	slices.SortStableFunc(c.fields, func(a, b field) int { return cmp.Compare(a.isComputed(), b.isComputed()) })
}

// compileComputed checks what does not work for computed fields.
func (c *compiler) compileComputed(path string, f *field) {
	switch {
	case f.identity:
		c.refuse(path+".computed", "Column %s identifies rows, so files must contain it. Remove computed.", f.Name)
	case f.kind == entity.TextList:
		c.refuse(path+".computed", "Lists cannot be computed. Remove the field.")
	}
}

func (f *field) isComputed() int {
	if f.declared.Computed != "" {
		return 1
	}
	return 0
}

func (t *Type) fieldIndex(name string) int {
	return slices.IndexFunc(t.fields, func(f field) bool { return f.declared.Name == name })
}

// joinTable is the inverse of SplitTable.
func joinTable(schema, table string) string {
	parts := []string{schema, table}
	for i, part := range parts {
		if strings.Contains(part, ".") {
			parts[i] = `"` + part + `"`
		}
	}
	return strings.Join(parts, ".")
}
