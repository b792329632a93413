package declared

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/entitytable"
	"github.com/loadbay/loadbay/shared/entity"
)

// match is a stored row that has a key of a row of the file.
type match struct {
	id       string   // its identity as one text, for comparisons
	identity []string // the values of the identity's columns
	// differs has a byte for each of the batch's written fields: '1' if the stored value differs.
	differs string
	deleted bool
}

// matches are the stored rows that have a key of a row of the batch, by the row's index: at most two.
type matches map[int][]match

// find looks up the stored rows that have the batch's values of a key. They are not locked.
func (w *writer) find(ctx context.Context, tx pgx.Tx, k int) (matches, error) {
	found := make(matches)
	var rows []int
	for i := range w.b.Len() {
		if _, ok := w.keyText(w.b, k, i); ok {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return found, nil
	}
	scopes := []scope{covered}
	if w.keys[k].beyond {
		scopes = append(scopes, uncovered)
	}
	if w.deleted != nil && w.declaration.Deleted.Again != AgainNew {
		scopes = append(scopes, deleted)
	}
	for _, among := range scopes {
		if err := w.findAmong(ctx, tx, k, rows, among, found); err != nil {
			return nil, err
		}
		rows = slices.DeleteFunc(rows, func(i int) bool { return len(found[i]) > 0 })
	}
	return found, nil
}

// scope is the part of the table in which a key is looked up.
type scope byte

const (
	covered   scope = iota // rows that exist and, with a partial index, that it covers
	uncovered              // rows that the partial index does not cover, of rows of the file that it would not cover either
	deleted                // rows that are marked as deleted
)

// alive returns the SQL condition that a row e is not marked as deleted.
func (t *Type) alive() string {
	switch {
	case t.deleted == nil:
		return "true"
	case t.deleted.Base == "boolean":
		return "(e." + entitytable.Quote(t.deleted.Name) + " IS NOT TRUE)"
	}
	return "(e." + entitytable.Quote(t.deleted.Name) + " IS NULL)"
}

// coverage returns the SQL of columns that a partial index may need, besides the key's, of rows of the file
// as they would be inserted.
func (w *writer) coverage(key *key) (columns []string) {
	for i := range w.table.Columns {
		column := &w.table.Columns[i]
		if column == w.tenant || !mentions(key.predicate, column.Name) || slices.ContainsFunc(key.fields, func(at int) bool { return w.fields[at].Column == column }) {
			continue
		}
		value := "NULL::" + baseType(column)
		if column.Default != "" {
			value = "(" + column.Default + ")::" + baseType(column)
		}
		if at := w.fieldOf(column); at >= 0 && w.fields[at].declared.Default != nil {
			value = quoteText(*w.fields[at].declared.Default) + "::" + baseType(column)
		}
		if at := w.fieldOf(column); at >= 0 && w.b.Mapped[at] {
			value = fmt.Sprintf("coalesce(%s, %s)", w.fields[at].compared("v."+cell(at)), value)
		}
		columns = append(columns, value+" AS "+entitytable.Quote(column.Name))
	}
	return columns
}

func (w *writer) findAmong(ctx context.Context, tx pgx.Tx, k int, rows []int, among scope, found matches) error {
	if len(rows) == 0 {
		return nil
	}
	key, part := &w.keys[k], subset(w.b, rows)
	needed := slices.Clone(w.written)
	for _, at := range key.fields {
		if !slices.Contains(needed, at) {
			needed = append(needed, at)
		}
	}
	p := &params{}
	p.addFields(part, needed)
	values, parts, equal := w.keyColumns(key), []string{"_lb_place"}, []string{w.alive()}
	for _, at := range needed {
		values, parts = append(values, "v."+cell(at)), append(parts, cell(at))
	}
	for i, part := range key.parts {
		parts = append(parts, fmt.Sprintf("%s AS _lb_k%d", part, i))
		equal = append(equal, fmt.Sprintf("%s %s n._lb_k%d", part, key.equals[i], i))
	}
	switch {
	case among == deleted:
		equal[0] = "NOT " + w.alive()
	case among == uncovered:
		values = append(values, w.coverage(key)...)
		parts = append(parts, "("+key.predicate+") IS TRUE AS _lb_covered")
		equal = append(equal, "("+key.predicate+") IS NOT TRUE", "NOT n._lb_covered")
	case key.predicate != "":
		equal = append(equal, "("+key.predicate+")")
	}
	if w.tenant != nil {
		equal = append(equal, w.within("e"))
	}
	sql := fmt.Sprintf(`
		SELECT n._lb_place, %s, (NOT %s)::int::int8, %s
		FROM (SELECT %s FROM (SELECT v._lb_place, %s FROM %s) AS x) AS n
		JOIN %s AS e ON %s`,
		w.differences("n."), w.alive(), w.identityTexts("e"), strings.Join(parts, ", "), strings.Join(values, ", "), p.from(), w.name, strings.Join(equal, " AND "))
	_, err := entity.Query(ctx, tx, sql, p.list, func(v [][]byte) error {
		i := rows[entity.Int64(v[0])-1]
		if len(found[i]) < 2 {
			m := match{differs: string(v[1]), deleted: entity.Int64(v[2]) == 1}
			m.identity, m.id = w.readIdentity(v[3:])
			found[i] = append(found[i], m)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look up the key %s: %w", key.name, err)
	}
	return nil
}

// keyColumns returns the SQL of the columns over which a key's expressions are computed.
func (t *Type) keyColumns(k *key) (values []string) {
	for _, at := range k.fields {
		f := &t.fields[at]
		values = append(values, f.compared("v."+cell(at))+" AS "+entitytable.Quote(f.Name))
	}
	if t.tenant != nil {
		values = append(values, t.tenantValue(t.tenant)+" AS "+entitytable.Quote(t.tenant.Name))
	}
	return values
}

// differences returns the SQL of match.differs: row is the prefix of the values of the file.
func (w *writer) differences(row string) string {
	flags := []string{"''"}
	for _, at := range w.written {
		f := &w.fields[at]
		value := row + cell(at)
		condition := differs(f.Column, "e."+entitytable.Quote(f.Name), f.compared(value))
		if f.identity {
			condition = fmt.Sprintf("NOT (e.%s %s %s)", entitytable.Quote(f.Name), equals(f.Column), f.compared(value))
		}
		if f.keepsValue() {
			condition = value + " IS NOT NULL AND " + condition
		}
		flags = append(flags, "CASE WHEN "+condition+" THEN '1' ELSE '0' END")
	}
	return "concat(" + strings.Join(flags, ", ") + ")"
}

// identityTexts returns the SQL of the values of the identity's columns as texts.
func (t *Type) identityTexts(alias string) string {
	texts := make([]string, len(t.identity))
	for i, column := range t.identity {
		texts[i] = alias + "." + entitytable.Quote(column.Name) + "::text"
	}
	return strings.Join(texts, ", ")
}

// readIdentity reads the columns of identityTexts.
func (t *Type) readIdentity(values [][]byte) (identity []string, id string) {
	for _, v := range values {
		identity = append(identity, string(v))
	}
	return identity, strings.Join(identity, "\x00")
}

// addIdentity adds the identities of stored rows, and returns the SQL condition that a row has the
// identity of v.
func (t *Type) addIdentity(p *params, of []*target) func(alias string) string {
	texts := make([]string, len(of))
	for place, column := range t.identity {
		for i := range of {
			texts[i] = of[i].identity[place]
		}
		p.addTexts(fmt.Sprintf("_lb_i%d", place), texts, "text[]::"+baseType(column)+"[]")
	}
	return func(alias string) string {
		equal := make([]string, len(t.identity), len(t.identity)+1)
		for place, column := range t.identity {
			equal[place] = fmt.Sprintf("%s.%s %s v._lb_i%d", alias, entitytable.Quote(column.Name), equals(column), place)
		}
		if t.tenant != nil {
			equal = append(equal, t.within(alias))
		}
		return strings.Join(equal, " AND ")
	}
}

// tokens returns a text for each row's value of a key, equal for equal keys and "" for none.
func (w *writer) keyTokens(ctx context.Context, tx pgx.Tx, k int) ([]string, error) {
	key, tokens := &w.keys[k], make([]string, w.b.Len())
	var rows []int
	for i := range tokens {
		if text, ok := w.keyText(w.b, k, i); ok {
			tokens[i] = "=" + text
			rows = append(rows, i)
		}
	}
	if key.exact || len(rows) < 2 {
		return tokens, nil
	}
	p := &params{}
	p.addFields(subset(w.b, rows), key.fields)
	sql := fmt.Sprintf(`
		SELECT _lb_place, dense_rank() OVER (ORDER BY %s)
		FROM (SELECT v._lb_place, %s FROM %s) AS x`, strings.Join(key.parts, ", "), strings.Join(w.keyColumns(key), ", "), p.from())
	_, err := entity.Query(ctx, tx, sql, p.list, func(v [][]byte) error {
		tokens[rows[entity.Int64(v[0])-1]] = fmt.Sprint(entity.Int64(v[1]))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("compare the keys %s: %w", key.name, err)
	}
	return tokens, nil
}

// subset returns the rows at the indexes in rows: b itself if these are all rows.
func subset(b *entity.Batch, rows []int) *entity.Batch {
	if len(rows) == b.Len() {
		return b
	}
	return b.Pick(rows)
}
