package declared

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/entitytable"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// compileReference returns the kind of a field that refers to rows of another table. Texts for columns of
// whole numbers are looked up before the rows are written, so that a person can be asked about unknown
// ones; those for other columns while they are written. The foreign key checks values that the file itself
// contains.
func (c *compiler) compileReference(path string, f *Field, column *pgtable.Column, kind entity.Kind) entity.Kind {
	r := f.Reference
	to := c.referredColumn(f, column)
	switch {
	case to == "":
		c.refuse(path+".column", "No foreign key of column %s leads to %s. Name the column of %s whose value is written.", column.Name, r.Table, r.Table)
	case len(r.By) == 1 && len(r.By[0]) == 1 && r.By[0][0] == to:
		return kind
	case column.Element != "":
		c.refuse(path, "Column %s holds several values, and a reference is one. Remove the reference.", column.Name)
	case kindsByType[column.Base] != entity.Integer:
		return entity.Text
	}
	return entity.Reference
}

// referredColumn returns the column of the other table that provides the value; "" if it is unknown.
func (t *Type) referredColumn(f *Field, column *pgtable.Column) string {
	if f.Reference.Column != "" {
		return f.Reference.Column
	}
	schema, table, _ := SplitTable(f.Reference.Table)
	for _, k := range t.table.ForeignKeys {
		if k.Schema != schema || k.Table != table {
			continue
		}
		for i := range k.From {
			if k.From[i] == column.Name {
				return k.To[i]
			}
		}
	}
	return ""
}

// findMissingReferences finds the rows that refer to rows which do not exist or belong to another
// tenant: foreign keys do not look at tenants.
func (w *writer) findMissingReferences(ctx context.Context, tx pgx.Tx) error {
	for _, at := range w.written {
		f := &w.fields[at]
		r := f.declared.Reference
		if r == nil || w.isNamed(f) || f.kind != entity.Reference && r.Within == "" && len(w.declaration.Tenant.Session) == 0 {
			continue // the foreign key checks it
		}
		p := &params{}
		p.addFields(w.b, []int{at})
		within := ""
		if r.Within != "" {
			within = " AND " + w.ofTenant("r."+entitytable.Quote(r.Within))
		}
		sql := fmt.Sprintf(`
			SELECT v._lb_place
			FROM %s
			WHERE v.%s IS NOT NULL AND NOT EXISTS (SELECT FROM %s AS r WHERE r.%s = %s%s)`,
			p.from(), cell(at), tableName(r.Table), entitytable.Quote(w.referredColumn(f.declared, f.Column)), f.compared("v."+cell(at)), within)
		_, err := entity.Query(ctx, tx, sql, p.list, func(v [][]byte) error {
			i := int(entity.Int64(v[0]) - 1)
			w.missing[i] = rowwrite.Error{
				Field: f.declared.Name, Code: problem.ReferenceNotFound, Value: w.b.Columns[at].Display(i),
				Message: "No row of " + r.Table + " has the value to which this one refers.",
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("look up references of %s: %w", f.declared.Name, err)
		}
	}
	return nil
}

// lookup returns the look-up of a field that refers to another table.
func (c *compiler) lookup(f *field) *entity.Lookup {
	r := f.declared.Reference
	id := "r." + entitytable.Quote(c.referredColumn(f.declared, f.Column)) + "::int8"
	within := ""
	if r.Within != "" {
		within = " AND " + c.ofTenant("r."+entitytable.Quote(r.Within))
	}
	matches := make([]string, len(r.By))
	for i, columns := range r.By {
		matches[i] = fmt.Sprintf(`
			SELECT v.place, %d AS rank, min(%s) AS id, count(*) AS n
			FROM unnest($1::text[]) WITH ORDINALITY AS v(word, place)
			JOIN %s AS r ON lower(%s) = lower(v.word)%s
			GROUP BY v.place`, i, id, tableName(r.Table), textOf(columns), within)
	}
	name := textOf(r.By[0])
	return &entity.Lookup{
		Session: c.settings(),
		Match: fmt.Sprintf(`
			SELECT place, id
			FROM (SELECT DISTINCT ON (place) place, id, n FROM (%s) AS m ORDER BY place, rank) AS first
			WHERE n = 1`, strings.Join(matches, " UNION ALL ")),
		Candidates: fmt.Sprintf(`
			SELECT %s AS id, %s AS name
			FROM %s AS r
			WHERE $1::int8 IS NOT NULL AND %s <> ''%s
			ORDER BY 2, 1
			LIMIT %d`, id, name, tableName(r.Table), name, within, maxCandidates),
	}
}

// maxCandidates is the largest number of rows of another table that a person can choose from.
const maxCandidates = 10_000

// textOf returns the SQL of the text by which files refer to a row.
func textOf(columns []string) string {
	texts := make([]string, len(columns))
	for i, name := range columns {
		texts[i] = "r." + entitytable.Quote(name) + "::text"
	}
	if len(texts) == 1 {
		return texts[0]
	}
	return "concat_ws(' ', " + strings.Join(texts, ", ") + ")"
}

// referredText returns the SQL of the text that an export contains for a reference, by which an
// import finds the row again: that of the first key of which the row has a value.
func (c *compiler) referredText(f *field) string {
	r := f.declared.Reference
	texts := make([]string, len(r.By))
	for i, columns := range r.By {
		texts[i] = "nullif(" + textOf(columns) + ", '')"
	}
	within := ""
	if r.Within != "" { // the application may have stored a reference to a row of another tenant
		within = " AND " + c.ofTenant("r."+entitytable.Quote(r.Within))
	}
	return fmt.Sprintf("(SELECT coalesce(%s) FROM %s AS r WHERE r.%s = e.%s%s)",
		strings.Join(texts, ", "), tableName(r.Table), entitytable.Quote(c.referredColumn(f.declared, f.Column)), entitytable.Quote(f.Name), within)
}

// tableName returns the SQL of a table's name in a declaration.
func tableName(name string) string {
	schema, table, _ := SplitTable(name)
	return pgx.Identifier{schema, table}.Sanitize()
}
