package declared

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/entitytable"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// isNamed reports whether files contain a text instead of the field's value, which is looked up while the
// row is written.
func (t *Type) isNamed(f *field) bool {
	r := f.declared.Reference
	if r == nil || f.kind == entity.Reference {
		return false
	}
	return len(r.By) > 1 || len(r.By[0]) > 1 || r.By[0][0] != t.referredColumn(f.declared, f.Column)
}

// resolveNames returns the batch with the values of the rows that texts of named references name, and the
// errors of rows with texts that name none or several.
func (t *Type) resolveNames(ctx context.Context, tx pgx.Tx, b *entity.Batch) (*entity.Batch, map[int]rowwrite.Error, error) {
	missing := make(map[int]rowwrite.Error)
	resolved := b
	for at := range t.fields {
		f := &t.fields[at]
		if !b.Mapped[at] || !t.isNamed(f) {
			continue
		}
		if resolved == b {
			copied := *b
			copied.Columns, resolved = slices.Clone(b.Columns), &copied
		}
		found, err := t.findNamed(ctx, tx, b, at)
		if err != nil {
			return nil, nil, fmt.Errorf("look up references of %s: %w", f.declared.Name, err)
		}
		column := entity.NewColumn(entity.Text, b.Len())
		for i := range b.Len() {
			n := found[i]
			if _, there := b.Columns[at].Bytes(i); there && n.rows == 1 {
				column.AppendText([]byte(n.value))
				continue
			} else if there {
				missing[i] = notNamed(f, b.Columns[at].Display(i), n.rows)
			}
			column.AppendNull()
		}
		resolved.Columns[at] = column
	}
	return resolved, missing, nil
}

// named is the value of the first of the rows that a text names.
type named struct {
	value string
	rows  int64
}

// findNamed looks up the texts of a field, by the index of their rows. The first key of the reference by
// which a row is found wins.
func (t *Type) findNamed(ctx context.Context, tx pgx.Tx, b *entity.Batch, at int) (map[int]named, error) {
	f := &t.fields[at]
	r, p := f.declared.Reference, &params{}
	p.addFields(b, []int{at})
	within := ""
	if r.Within != "" {
		within = " AND " + t.ofTenant("r."+entitytable.Quote(r.Within))
	}
	keys := make([]string, len(r.By))
	for i, columns := range r.By {
		keys[i] = fmt.Sprintf(`
			SELECT v._lb_place AS place, %d AS rank, min(r.%s::text) AS value, count(*) AS n
			FROM v
			JOIN %s AS r ON lower(%s) = lower(v.%s)%s
			GROUP BY v._lb_place`, i, entitytable.Quote(t.referredColumn(f.declared, f.Column)), tableName(r.Table), textOf(columns), cell(at), within)
	}
	sql := fmt.Sprintf(`
		WITH v AS (SELECT * FROM %s)
		SELECT DISTINCT ON (place) place, value, n
		FROM (%s) AS m
		ORDER BY place, rank`, p.from(), strings.Join(keys, " UNION ALL "))
	found := make(map[int]named)
	_, err := entity.Query(ctx, tx, sql, p.list, func(v [][]byte) error {
		found[int(entity.Int64(v[0])-1)] = named{string(v[1]), entity.Int64(v[2])}
		return nil
	})
	return found, err
}

// notNamed is the error of a row with a text that names no row of the other table, or several.
func notNamed(f *field, text string, rows int64) rowwrite.Error {
	e := rowwrite.Error{Field: f.declared.Name, Code: problem.ReferenceNotFound, Value: text, Message: "No row of " + f.declared.Reference.Table + " has this value. Correct it, or add the row."}
	if rows > 1 {
		e.Message = "Several rows of " + f.declared.Reference.Table + " have this value. Use a text that only the right one has."
	}
	return e
}
