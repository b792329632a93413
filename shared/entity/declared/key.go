package declared

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/loadbay/loadbay/shared/changes/entitytable"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
)

// key is a natural key of the table.
type key struct {
	name   string
	fields []int
	// parts are the SQL expressions that are unique together, over columns of the table: those of the
	// index, without the tenant's column.
	parts     []string
	equals    []string // SQL operators by which the parts are equal
	predicate string   // of a partial index
	// guarded reports whether a unique index keeps two rows from having the key.
	guarded bool
	// beyond reports that files can contain rows which the partial index does not cover. These are
	// looked up, too: otherwise, each import of such a row would add another one.
	beyond bool
	// exact reports whether equal keys are equal bytes. Otherwise the database compares them.
	exact bool
	// foldable reports whether two keys that are equal to the database are equal after fold.
	foldable bool
}

func (c *compiler) compileKeys() {
	for i, k := range c.declaration.Keys {
		path := index("keys", i)
		compiled := key{name: k.Name, exact: true, foldable: true}
		for place, name := range k.Fields {
			at := c.fieldIndex(name)
			if at < 0 {
				c.refuse(index(path+".fields", place), "There is no field %s.", name)
				continue
			}
			if c.fields[at].declared.Computed != "" {
				c.refuse(index(path+".fields", place), "Field %s is computed. A key consists of fields that files contain.", name)
			}
			if c.isNamed(&c.fields[at]) {
				c.refuse(index(path+".fields", place), "Field %s refers to another row by a name. A key consists of values that files contain.", name)
			}
			compiled.fields = append(compiled.fields, at)
		}
		if len(compiled.fields) < len(k.Fields) {
			continue
		}
		if k.Index == NoIndex {
			for _, at := range compiled.fields {
				compiled.addColumn(c.fields[at].Column)
			}
		} else if !c.useIndex(path+".index", &compiled, k.Index) {
			continue
		}
		c.keys = append(c.keys, compiled)
	}
}

// useIndex takes the parts of a key from its unique index.
func (c *compiler) useIndex(path string, k *key, name string) bool {
	x := c.table.Index(name)
	if x == nil {
		c.refuse(path, "The table has no unique index %s. Name another one, or write index: %s.", name, NoIndex)
		return false
	}
	known := make([]string, 0, len(k.fields)+1)
	for _, at := range k.fields {
		known = append(known, c.fields[at].Name)
	}
	if c.tenant != nil {
		known = append(known, c.tenant.Name)
	}
	var used []string
	for _, part := range x.Columns {
		of := part.Uses
		if part.Column != "" {
			of = []string{part.Column}
		}
		for _, column := range of {
			if !slices.Contains(known, column) {
				c.refuse(path, "Index %s contains column %s, which is not a field of the key.", name, column)
				return false
			}
		}
		used = append(used, of...)
		switch {
		case part.Column == "":
			k.parts, k.exact = append(k.parts, "("+part.Expression+")"+collate(part)), false
			k.equals = append(k.equals, "=")
			k.foldable = k.foldable && foldingExpression.MatchString(part.Expression)
		case c.tenant != nil && part.Column == c.tenant.Name:
		default:
			k.addColumn(c.table.Column(part.Column))
			k.parts[len(k.parts)-1] += collate(part)
			k.exact = k.exact && part.Deterministic
		}
	}
	for _, at := range k.fields {
		if !slices.Contains(used, c.fields[at].Name) {
			c.refuse(path, "Index %s does not contain column %s of field %s.", name, c.fields[at].Name, c.fields[at].declared.Name)
			return false
		}
	}
	k.predicate, k.guarded = x.Predicate, true
	k.beyond = slices.ContainsFunc(c.fields, func(f field) bool { return f.Column != c.deleted && mentions(x.Predicate, f.Name) })
	return true
}

// mentions reports whether an SQL expression may contain a column.
func mentions(expression, column string) bool {
	return strings.Contains(expression, column) || strings.Contains(expression, entitytable.Quote(column))
}

func (k *key) addColumn(column *pgtable.Column) {
	k.parts = append(k.parts, entitytable.Quote(column.Name))
	k.equals = append(k.equals, equals(column))
	k.exact = k.exact && column.Deterministic
}

// collate returns the SQL of the collation of an index, if it is not the column's.
func collate(part pgtable.IndexColumn) string {
	if part.Collation == "" {
		return ""
	}
	return " COLLATE " + part.Collation
}

// foldingExpression matches the expressions that fold imitates: they only change case, or
// remove white space or accents.
var foldingExpression = regexp.MustCompile(`^(?:(?:pg_catalog\.|public\.)?(?:lower|upper|btrim|ltrim|rtrim|unaccent)\(|\(|\)|::(?:text|character varying|bpchar|citext)|"[^"]*"|[a-z_][a-z0-9_$]*)+$`)

// fold returns a text in a form that is equal for all texts that a case-insensitive comparison, or
// one that ignores accents, considers equal. It may be equal for others.
func fold(text string) string {
	var out strings.Builder
	for _, r := range norm.NFKD.String(text) {
		if unicode.Is(unicode.Mn, r) || unicode.IsSpace(r) {
			continue
		}
		smallest := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			smallest = min(smallest, next)
		}
		switch smallest {
		case 'ı', 'İ':
			smallest = 'I'
		case 'ß', 'ẞ':
			out.WriteString("SS")
			continue
		}
		out.WriteRune(smallest)
	}
	return out.String()
}

// KeyFields returns the names of the fields that keys consist of.
func (t *Type) KeyFields() (names []string) {
	for k := range t.keys {
		for _, at := range t.keys[k].fields {
			if name := t.fields[at].declared.Name; !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// RowKeys calls found with every key of row i, in a form that is equal for all equal keys, and
// returns the index of the key by which the row names its entity.
func (t *Type) RowKeys(b *entity.Batch, i int, found func(key int, value string)) (by int) {
	by = len(t.keys)
	for k := range t.keys {
		if v, ok := t.keyText(b, k, i); ok {
			if !t.keys[k].exact {
				v = fold(v)
			}
			found(k, v)
			by = min(by, k)
		}
	}
	return by
}

// keyText returns the values of a key in row i as one text; ok is false if one is missing.
func (t *Type) keyText(b *entity.Batch, k, i int) (text string, ok bool) {
	for place, at := range t.keys[k].fields {
		v, there := b.Columns[at].Bytes(i)
		if !there {
			return "", false
		}
		if place > 0 {
			text += "\x00" // which no value contains
		}
		text += string(v)
	}
	return text, true
}
