package adopt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
)

// draftKeys drafts the keys by which an upsert finds rows: unique indexes first, then columns whose
// values are unique in the data.
func (d *drafter) draftKeys() {
	for _, x := range d.usableIndexes() {
		d.addKey(x.Name, d.columnsOf(x), x.Name)
	}
	if len(d.Declaration.Keys) == 0 {
		d.draftKeysWithoutIndex()
	}
	if len(d.Declaration.Keys) == 0 {
		d.draftKeyOfIdentity()
	}
	if len(d.Declaration.Keys) == 0 {
		d.Declaration.Modes = []string{"insert"}
		d.find(true, "modes", "No columns identify a row, so files can only add rows. Declare a key to change rows by files.")
	}
	for i := range d.Declaration.Keys {
		for _, name := range d.Declaration.Keys[i].Fields {
			at := slices.IndexFunc(d.Declaration.Fields, func(f declared.Field) bool { return f.Name == name })
			if f := &d.Declaration.Fields[at]; isText(d.Table.Column(f.Column)) && f.Reference == nil && len(d.Table.Column(f.Column).Words) == 0 {
				f.Identifying = true
			}
		}
	}
}

// addKey adds a key if all of its columns are fields.
func (d *drafter) addKey(name string, columns []string, index string) bool {
	key := declared.Key{Name: name, Index: index}
	for _, column := range columns {
		if column == d.tenant {
			continue
		}
		field := d.fields[column]
		if field == "" {
			return false
		}
		key.Fields = append(key.Fields, field)
	}
	if len(key.Fields) > 0 {
		d.Declaration.Keys = append(d.Declaration.Keys, key)
	}
	return len(key.Fields) > 0
}

func (d *drafter) draftKeysWithoutIndex() {
	for _, count := range d.usableCandidates() {
		path := fmt.Sprintf("keys[%d]", len(d.Declaration.Keys))
		name := strings.Join(count.Columns, "_")
		if !d.addKey(name[:min(len(name), maxName)], count.Columns, declared.NoIndex) {
			continue
		}
		d.find(true, path, "%s identified each of %d rows, but no unique index guarantees it. Keep this key if it always does; otherwise remove it.",
			strings.Join(count.Columns, " and "), count.Rows)
		d.Optional = append(d.Optional, d.createIndex(count.Columns))
		return
	}
}

// createIndex returns the SQL of a unique index over columns.
func (d *drafter) createIndex(columns []string) string {
	if d.tenant != "" && !slices.Contains(columns, d.tenant) {
		columns = append([]string{d.tenant}, columns...)
	}
	concurrently := " CONCURRENTLY"
	if d.Table.Partitioned {
		concurrently = "" // Postgres refuses it there
	}
	return fmt.Sprintf("CREATE UNIQUE INDEX%s ON %s (%s);", concurrently, d.sqlName(), sqlNames(columns))
}

// draftKeyOfIdentity uses the identity as a key, because nothing else identifies a row.
func (d *drafter) draftKeyOfIdentity() {
	for i := range d.Table.Unique {
		columns, plain := d.Table.Unique[i].Plain()
		if !plain || !slices.Equal(columns, d.Declaration.Identity) || !d.addKey(d.Table.Unique[i].Name, columns, d.Table.Unique[i].Name) {
			continue
		}
		if !d.Table.Column(columns[0]).Required() && len(columns) == 1 {
			d.find(true, "keys[0]", "Only %s, which the table generates, identifies a row. Files need it to change rows; declare another key if there is one.", columns[0])
		}
		return
	}
}

// usableIndexes returns the unique indexes whose columns people can know, the strictest first, and
// those that do not belong to an organisation last.
func (d *drafter) usableIndexes() []*pgtable.Index {
	var strict, lax, global []*pgtable.Index
	for i := range d.Table.Unique {
		x := &d.Table.Unique[i]
		columns := d.columnsOf(x)
		if len(columns) == 0 || slices.ContainsFunc(columns, func(name string) bool { return d.isUnknownToPeople(name, x) }) {
			continue
		}
		switch {
		case d.tenant != "" && !slices.Contains(columns, d.tenant):
			global = append(global, x)
		case x.Predicate != "" || slices.ContainsFunc(columns, func(name string) bool { return !d.Table.Column(name).NotNull }):
			lax = append(lax, x)
		default:
			strict = append(strict, x)
		}
	}
	return slices.Concat(strict, lax, global)
}

// columnsOf returns the columns of an index, also those in its expressions; nil if an expression does
// not use one column.
func (d *drafter) columnsOf(x *pgtable.Index) (columns []string) {
	for i := range x.Columns {
		name := x.Columns[i].Column
		if name == "" {
			if len(x.Columns[i].Uses) != 1 {
				return nil
			}
			name = x.Columns[i].Uses[0]
		}
		columns = append(columns, name)
	}
	return columns
}

// isUnknownToPeople reports whether a file cannot contain the column of an index, or would hardly do:
// generated ids.
func (d *drafter) isUnknownToPeople(name string, x *pgtable.Index) bool {
	c := d.Table.Column(name)
	if name == d.tenant {
		return len(x.Columns) == 1
	}
	return d.skipped[name] || c.Generated || unsupported(c) != "" || c.Identity != "" || c.Sequence != "" || c.Base == "uuid" && c.Default != ""
}

// usableCandidates returns the counted candidates that are unique in the data.
func (d *drafter) usableCandidates() []Count {
	return slices.DeleteFunc(slices.Clone(d.Counts), func(c Count) bool { return !c.unique() })
}

// maxCandidates is the maximum number of candidates that are counted.
const maxCandidates = 12

// candidates returns columns that could identify a row to people, the most likely ones first. The
// column of the organisation, if there is one, belongs to each.
func candidates(t *pgtable.Table) [][]string {
	var codes, names, first, last, parents []string
	for i := range t.Columns {
		c := &t.Columns[i]
		isParent := slices.ContainsFunc(t.ForeignKeys, func(k pgtable.ForeignKey) bool { return slices.Equal(k.From, []string{c.Name}) })
		switch {
		case !c.Comparable || c.Generated || !c.Select:
		case isParent && c.NotNull:
			parents = append(parents, c.Name)
		case !isText(c):
		case isFirstName(c.Name):
			first = append(first, c.Name)
		case isLastName(c.Name):
			last = append(last, c.Name)
		case isCode(c.Name):
			codes = append(codes, c.Name)
		case isName(t.Name, c.Name):
			names = append(names, c.Name)
		}
	}
	var found [][]string
	single := append(codes, names...)
	for _, name := range single {
		found = append(found, []string{name})
	}
	if len(first) > 0 && len(last) > 0 {
		found = append(found, []string{first[0], last[0]})
	}
	for _, name := range single {
		for _, parent := range parents {
			found = append(found, []string{parent, name})
		}
	}
	if len(parents) > 1 {
		found = append(found, parents)
	}
	return found[:min(len(found), maxCandidates)]
}

func sqlNames(columns []string) string {
	quoted := make([]string, len(columns))
	for i, name := range columns {
		quoted[i] = pgx.Identifier{name}.Sanitize()
	}
	return strings.Join(quoted, ", ")
}
