package entitytable

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Declared describes a table of an organisation's own: it has no columns of Loadbay's and no trigger
// that captures changes, so the statements that write it record what they have changed.
type Declared struct {
	Schema, Table string
	// TenantColumn holds TenantValue, an SQL expression, in the organisation's rows; "" if it has the
	// whole table.
	TenantColumn, TenantValue string
	// Touched are columns that only record the time of the last change.
	Touched []string
	// Unguarded are the keys of the type that no index guarantees.
	Unguarded []Key
	// Alive is the SQL condition that a row of the table with the alias e does not count as deleted.
	Alive string
	// Off reports that changes are not recorded by statements: a trigger does it, or nothing.
	Off bool
}

// Key consists of SQL expressions over the columns of a row, and the operators by which they are equal.
type Key struct {
	Parts, Equals []string
	Partial       bool // an index guarantees it for some rows
}

// uses reports whether the key contains one of the columns.
func (k *Key) uses(columns []string) bool {
	return slices.ContainsFunc(columns, func(column string) bool {
		return slices.ContainsFunc(k.Parts, func(part string) bool { return strings.Contains(part, Quote(column)) })
	})
}

// KeyTaken returns a query that reports whether one of the rows with these ids, of which columns have been
// written, has a key of another row that no index guarantees; "" if there is no such key.
func (t *Table) KeyTaken(columns, ids []string) (sql string, args []any, err error) {
	if t.Declared == nil {
		return "", nil, nil
	}
	var taken []string
	for i := range t.Declared.Unguarded {
		k := &t.Declared.Unguarded[i]
		if k.Partial || !k.uses(columns) {
			continue
		}
		values := []string{t.IDText("e") + " AS id"}
		equal := []string{t.Within("e"), t.IDText("e") + " <> n.id", t.Declared.Alive}
		for part, expression := range k.Parts {
			values = append(values, fmt.Sprintf("%s AS k%d", expression, part))
			equal = append(equal, fmt.Sprintf("%s %s n.k%d", expression, k.Equals[part], part))
		}
		taken = append(taken, fmt.Sprintf(`EXISTS (
			SELECT FROM ids AS v
			CROSS JOIN LATERAL (SELECT %[1]s FROM %[2]s AS e WHERE %[3]s AND %[4]s AND %[5]s) AS n
			CROSS JOIN LATERAL (SELECT FROM %[2]s AS e WHERE %[6]s LIMIT 1) AS other)`,
			strings.Join(values, ", "), t.SQL(), t.HasID("e", "v"), t.Within("e"), t.Declared.Alive, strings.Join(equal, " AND ")))
	}
	if len(taken) == 0 {
		return "", nil, nil
	}
	v, err := t.IDArrays(0, ids)
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("WITH ids AS (SELECT * FROM unnest(%s) AS v(%s)) SELECT %s", strings.Join(v.Arrays, ", "), strings.Join(v.Names, ", "), strings.Join(taken, " OR ")), v.Args, nil
}

// Touched returns the columns of a declared table that only record the time of the last change.
func (t *Table) Touched() []string {
	if t.Declared == nil {
		return nil
	}
	return t.Declared.Touched
}

// Quote returns the SQL of a name.
func Quote(name string) string { return pgx.Identifier{name}.Sanitize() }

// SQL returns the table's name in statements.
func (t *Table) SQL() string {
	if t.Declared == nil {
		return Quote(t.Name)
	}
	return pgx.Identifier{t.Declared.Schema, t.Declared.Table}.Sanitize()
}

// Within returns the SQL condition that a row belongs to the organisation.
func (t *Table) Within(alias string) string {
	switch {
	case t.Declared == nil:
		return alias + ".organisation_id = current_organisation()"
	case t.Declared.TenantColumn == "":
		return "true"
	}
	return alias + "." + Quote(t.Declared.TenantColumn) + " = " + t.Declared.TenantValue
}

// Tenant returns the column that Within compares, and its value in SQL; "" for none.
func (t *Table) Tenant() (column, value string) {
	if t.Declared == nil {
		return "organisation_id", "current_organisation()"
	}
	return t.Declared.TenantColumn, t.Declared.TenantValue
}

// IDText returns the SQL of a row's id as text: the value of a single column, or base64url of a JSON
// array of texts.
func (t *Table) IDText(alias string) string {
	texts := make([]string, len(t.Identity))
	for i := range t.Identity {
		texts[i] = alias + "." + Quote(t.Identity[i].Name) + "::text"
	}
	if len(texts) == 1 {
		return texts[0]
	}
	return fmt.Sprintf(`translate(encode(convert_to(json_build_array(%s)::text, 'UTF8'), 'base64'), E'+/=\n', '-_')`, strings.Join(texts, ", "))
}

// SplitIDs returns the values of each column of the identity.
func (t *Table) SplitIDs(ids []string) ([][]string, error) {
	if len(t.Identity) == 1 {
		return [][]string{ids}, nil
	}
	columns := make([][]string, len(t.Identity))
	for _, id := range ids {
		var values []string
		text, err := base64.RawURLEncoding.DecodeString(id)
		if err == nil {
			err = json.Unmarshal(text, &values)
		}
		if err != nil || len(values) != len(columns) {
			return nil, fmt.Errorf("id of an entity of %s does not have %d values", t.Name, len(columns))
		}
		for i, v := range values {
			columns[i] = append(columns[i], v)
		}
	}
	return columns, nil
}

// IDs are ids as columns of a table v in a statement.
type IDs struct {
	Args   []any    // one array per column of the identity
	Arrays []string // SQL of the arrays
	Names  []string // of the columns of v
}

// IDArrays returns ids as parameters of a statement that follow the first n ones. Whole arrays are cast
// to the types of the identity's columns: under row level security, Postgres does not use an index for
// a comparison with a cast of each value.
func (t *Table) IDArrays(n int, ids []string) (v IDs, err error) {
	columns, err := t.SplitIDs(ids)
	if err != nil {
		return v, err
	}
	for i := range t.Identity {
		v.Args = append(v.Args, columns[i])
		v.Arrays = append(v.Arrays, fmt.Sprintf("$%d::text[]::%s[]", n+i+1, t.Identity[i].Type))
		v.Names = append(v.Names, idName(i))
	}
	return v, nil
}

func idName(i int) string {
	if i == 0 {
		return "id"
	}
	return fmt.Sprintf("id%d", i)
}

// HasID returns the SQL condition that a row has the id of a row of IDArrays.
func (t *Table) HasID(alias, ids string) string {
	equal := make([]string, len(t.Identity))
	for i := range t.Identity {
		equal[i] = fmt.Sprintf("%s.%s %s %s.%s", alias, Quote(t.Identity[i].Name), cmp.Or(t.Identity[i].Equals, "="), ids, idName(i))
	}
	return strings.Join(equal, " AND ")
}

// Differs returns the SQL condition that a value of the column differs from another one.
func (c *Column) Differs(a, b string) string {
	if c.Incomparable {
		return "(" + a + ")::text IS DISTINCT FROM (" + b + ")::text"
	}
	return a + " IS DISTINCT FROM " + b
}

// Hash returns the SQL of the hash of some columns of a row. Values of types without a hash are hashed
// as texts.
func (t *Table) Hash(alias string, columns []string) string {
	return "hash_record_extended(" + Record(columns, func(name string) string {
		if c := t.Column(name); c != nil && c.Unhashable {
			return alias + "." + Quote(name) + "::text"
		}
		return alias + "." + Quote(name)
	}) + ", 0)"
}

// Record returns the SQL of a record of values.
func Record(columns []string, value func(name string) string) string {
	values := make([]string, len(columns))
	for i, name := range columns {
		values[i] = value(name)
	}
	return "ROW(" + strings.Join(values, ", ") + ")"
}
