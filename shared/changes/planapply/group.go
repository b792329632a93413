package planapply

import (
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/entitytable"
)

// group holds changes that one statement can write: of one table, to the same columns.
type group struct {
	op        changeset.Op
	table     *table
	columns   []string
	generated []bool
	changes   []*change
}

// groupChanges divides changes in the order in which they were made. Deleted entities free their
// keys for others.
func groupChanges(changes []*change) []*group {
	var deleted, all []*group
	known := make(map[string]*group)
	for _, c := range changes {
		key := fmt.Sprintf("%d %s %q %v", c.Op, c.Table, c.Columns, c.generated)
		g := known[key]
		if g == nil {
			g = &group{op: c.Op, table: c.table, columns: c.Columns, generated: c.generated}
			if known[key] = g; c.Op == changeset.Deleted {
				deleted = append(deleted, g)
			} else {
				all = append(all, g)
			}
		}
		g.changes = append(g.changes, c)
	}
	return append(deleted, all...)
}

// groupSingly puts each change into a group of its own, in the order in which they were made.
func groupSingly(changes []*change) []*group {
	all := make([]*group, len(changes))
	for i, c := range changes {
		all[i] = &group{op: c.Op, table: c.table, columns: c.Columns, generated: c.generated, changes: []*change{c}}
	}
	return all
}

// rows returns the entities with their values after the change.
func (g *group) rows() []entitytable.Row {
	rows := make([]entitytable.Row, len(g.changes))
	for i, c := range g.changes {
		rows[i] = entitytable.Row{ID: c.ID, Row: c.Row, Values: c.After}
	}
	return rows
}

func (g *group) ids() []string {
	ids := make([]string, len(g.changes))
	for i, c := range g.changes {
		ids[i] = c.ID
	}
	return ids
}

// values holds the changes as parameters of a statement, which reads them as the table v: place,
// row and id, b0, b1, … for the values before, and a0, a1, … for the values after. Whole arrays
// are cast to the types of the table's columns: under row level security, Postgres does not use
// an index for a comparison with v.id::uuid.
type values struct {
	from  string
	args  []any
	ids   []string // columns of v with the id
	order string   // by the id
}

// values returns the group's values as parameters that follow args.
func (g *group) values(args ...any) (values, error) {
	n := len(g.changes)
	places, rows, ids := make([]int64, n), make([]int64, n), make([]string, n)
	for i, c := range g.changes {
		places[i], rows[i], ids[i] = int64(i), c.Row, c.ID
	}
	of, err := g.table.IDArrays(len(args)+2, ids)
	if err != nil {
		return values{}, err
	}
	v := values{args: append(append(args, places, rows), of.Args...), ids: of.Names, order: "v." + strings.Join(of.Names, ", v.")}
	params, names := []string{fmt.Sprintf("$%d::int8[]", len(args)+1), fmt.Sprintf("$%d::int8[]", len(args)+2)}, append([]string{"place", "row"}, of.Names...)
	params = append(params, of.Arrays...)
	add := func(prefix string, of func(*change) []*string) {
		for column, name := range g.columns {
			texts := make([]*string, n)
			for i, c := range g.changes {
				texts[i] = of(c)[column]
			}
			v.args = append(v.args, texts)
			params, names = append(params, fmt.Sprintf("$%d::text[]%s", len(v.args), arrayCast(g.table.Kind(name)))), append(names, fmt.Sprintf("%s%d", prefix, column))
		}
	}
	if g.op != changeset.Created {
		add("b", func(c *change) []*string { return c.Before })
	}
	if g.op != changeset.Deleted {
		add("a", func(c *change) []*string { return c.After })
	}
	v.from = fmt.Sprintf("unnest(%s) AS v(%s)", strings.Join(params, ", "), strings.Join(names, ", "))
	return v, nil
}

// arrayCast returns the SQL that casts an array of texts to an array of the type; "" for an array
// type, because Postgres has no arrays of arrays: then each value is cast separately.
func arrayCast(kind string) string {
	if strings.HasSuffix(kind, "[]") {
		return ""
	}
	return "::" + kind + "[]"
}

// cast returns a column of v as a value of the table's column.
func (g *group) cast(prefix string, column int) string {
	return fmt.Sprintf("v.%s%d::%s", prefix, column, g.table.Kind(g.columns[column]))
}
