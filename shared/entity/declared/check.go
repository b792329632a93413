package declared

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/entitytable"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// rejectViolations excludes rows that violate CHECK constraints of the table, with one statement for
// all of them. It leaves out what it cannot know before the table has computed a row: then the
// database refuses the row, and bisection finds it.
func (w *writer) rejectViolations(ctx context.Context, tx pgx.Tx, fresh, known []*target) error {
	if fresh = w.steps(fresh); !w.hasTriggerBefore(true) && len(fresh) > 0 {
		if err := w.evaluate(ctx, tx, fresh, true); err != nil {
			return err
		}
	}
	if known = w.steps(known); !w.hasTriggerBefore(false) && len(known) > 0 {
		return w.evaluate(ctx, tx, known, false)
	}
	return nil
}

// maxSteps is the largest number of rows about one entry that are checked one by one.
const maxSteps = 8

// steps returns the targets as they are after each of their rows.
func (w *writer) steps(targets []*target) (all []*target) {
	for _, of := range targets {
		if w.excluded[of.rows[0]] || len(of.rows) > maxSteps {
			continue
		}
		for n := range of.rows {
			step := *of
			step.rows = of.rows[:n+1]
			all = append(all, &step)
		}
	}
	return all
}

// hasTriggerBefore reports whether a trigger may change rows before constraints are checked.
func (t *Type) hasTriggerBefore(insert bool) bool {
	return slices.ContainsFunc(t.table.Triggers, func(g pgtable.Trigger) bool {
		return g.Enabled && g.Before && (insert && g.Insert || !insert && g.Update)
	})
}

// evaluate excludes those of new or stored rows that violate a constraint.
func (w *writer) evaluate(ctx context.Context, tx pgx.Tx, targets []*target, fresh bool) error {
	checks, columns := w.checksOf(targets, fresh)
	if len(checks) == 0 {
		return nil
	}
	part, p := w.merge(targets), &params{}
	p.addFields(part, w.written)
	from := p.from()
	if !fresh {
		is := w.addIdentity(p, targets)
		from = fmt.Sprintf("%s JOIN %s AS e ON %s", p.from(), w.name, is("e"))
	}
	values := []string{"v._lb_place"}
	for _, column := range columns {
		values = append(values, w.valueToCheck(column, fresh)+" AS "+entitytable.Quote(column.Name))
	}
	violated := make([]string, len(checks))
	for i, k := range checks {
		violated[i] = fmt.Sprintf("CASE WHEN (%s) IS FALSE THEN %d::int8 END", k.Expression, i)
	}
	sql := fmt.Sprintf("SELECT _lb_place, violated FROM (SELECT _lb_place, coalesce(%s) AS violated FROM (SELECT %s FROM %s) AS x) AS y WHERE violated IS NOT NULL",
		strings.Join(violated, ", "), strings.Join(values, ", "), from)
	found := make(map[int]int)
	err := entity.Savepoint(ctx, tx, func(tx pgx.Tx) error {
		_, err := entity.Query(ctx, tx, sql, p.list, func(v [][]byte) error {
			found[int(entity.Int64(v[0])-1)] = int(entity.Int64(v[1]))
			return nil
		})
		return err
	})
	if entity.IsDataError(err) && ctx.Err() == nil {
		return nil // an expression fails for a value: the database will refuse that row
	}
	if err != nil {
		return fmt.Errorf("check rows of %s: %w", w.name, err)
	}
	refused := make(map[int]bool) // by the first row of a target: later rows are checked without the refused one
	for _, place := range slices.Sorted(maps.Keys(found)) {
		of := targets[place]
		if i := of.last(); !refused[of.rows[0]] {
			refused[of.rows[0]] = true
			w.exclude(i, w.violation(w.b, i, &checks[found[place]]))
		}
	}
	return nil
}

// checksOf returns the constraints that can be evaluated before the rows are written, and the columns
// that they use.
func (w *writer) checksOf(targets []*target, fresh bool) (checks []pgtable.Check, columns []*pgtable.Column) {
	for _, k := range w.table.Checks {
		var used []*pgtable.Column
		known := len(k.Columns) > 0
		for _, name := range k.Columns {
			column := w.table.Column(name)
			known = known && column != nil && column.Select && !column.Generated && (!fresh || w.isKnown(column, targets))
			used = append(used, column)
		}
		if !known {
			continue
		}
		checks = append(checks, k)
		for _, column := range used {
			if !slices.Contains(columns, column) {
				columns = append(columns, column)
			}
		}
	}
	return checks, columns
}

// isKnown reports whether the values of a column of new rows are those of the file, or NULL.
func (w *writer) isKnown(column *pgtable.Column, targets []*target) bool {
	if column == w.tenant {
		return true
	}
	at := w.fieldOf(column)
	if column.Default == "" && column.Identity == "" && (at < 0 || w.fields[at].declared.Default == nil) {
		return true
	}
	return at >= 0 && w.b.Mapped[at] && !slices.ContainsFunc(targets, func(of *target) bool { return !w.hasValue(of, at) })
}

// fieldOf returns the field of a column; -1 for none.
func (t *Type) fieldOf(column *pgtable.Column) int {
	return slices.IndexFunc(t.fields, func(f field) bool { return f.Column == column })
}

// valueToCheck returns the SQL of a column's value after the write.
func (w *writer) valueToCheck(column *pgtable.Column, fresh bool) string {
	at := w.fieldOf(column)
	stored := "NULL::" + baseType(column)
	if !fresh {
		stored = "e." + entitytable.Quote(column.Name)
	}
	switch {
	case fresh && column == w.tenant:
		return w.tenantValue(column)
	case at < 0 || !w.b.Mapped[at] || !fresh && w.fields[at].identity:
		return stored
	case !fresh && w.fields[at].keepsValue():
		return fmt.Sprintf("CASE WHEN v.%s IS NULL THEN %s ELSE %s END", cell(at), stored, w.fields[at].compared("v."+cell(at)))
	}
	return w.fields[at].compared("v." + cell(at))
}

// violation is the error of a row that violates a constraint.
func (t *Type) violation(b *entity.Batch, i int, k *pgtable.Check) rowwrite.Error {
	return t.describe(b, i, k.Name, k.Columns, "The table's rule "+k.Name+" does not allow this value. Correct it, or ask the table's owner about the rule.")
}
