package mapping_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
	"github.com/loadbay/loadbay/shared/imports/adopt"
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/mapping/columnmatch"
	"github.com/loadbay/loadbay/shared/mapping/concept"
	"github.com/loadbay/loadbay/shared/problem"
)

// tables are names of tables with the columns of the shipped types, by type.
var tables = map[string]string{
	"USER": "users", "MEMBERSHIP": "members", "EVENT_PARTICIPANT": "event_participants", "RESULT": "results", "ORDER": "orders", "ARTICLE": "articles",
	"COMMENT": "comments", "EVENT": "events", "EVENT_CATEGORY": "event_categories", "PERIOD": "periods",
}

// columnName returns the name of a field's column. References are texts here, whose columns do not end
// in "id".
func columnName(f *entity.Field) string {
	if f.Kind == entity.Reference {
		return strings.TrimSuffix(f.Column, "_id")
	}
	return f.Column
}

// typesOfKinds are the types of columns of fields.
var typesOfKinds = map[entity.Kind]string{
	entity.UUID: "uuid", entity.Integer: "bigint", entity.Decimal: "numeric", entity.Boolean: "boolean", entity.Date: "date",
	entity.Timestamp: "timestamp with time zone",
}

// declaredMatchers returns matchers for types that were adopted from tables with the columns of the
// shipped types, and to which nobody has added anything, and the fields of these types: the time of the
// last change is none of them.
func declaredMatchers(t *testing.T, concepts mapping.Concepts) (matchers map[string]*mapping.Matcher, fields map[string]map[string]bool) {
	t.Helper()
	matchers, fields = make(map[string]*mapping.Matcher), make(map[string]map[string]bool)
	for _, of := range catalog.New().Types() {
		d := of.Declaration()
		name := tables[d.Name]
		table := &pgtable.Table{Schema: "own", Name: name, Kind: pgtable.TableKind, Usage: true}
		table.Columns = append(table.Columns, pgtable.Column{Name: "row_key", Base: "bigint", Type: "bigint", NotNull: true, Identity: "by default", TypeKind: "b", Select: true, Insert: true, Update: true, Deterministic: true, Hashable: true, Comparable: true})
		table.Unique = []pgtable.Index{{Name: name + "_pkey", Primary: true, Columns: []pgtable.IndexColumn{{Column: "row_key", Deterministic: true}}}}
		for i := range d.Fields {
			f := &d.Fields[i]
			base := typesOfKinds[f.Kind]
			if base == "" {
				base = "text"
			}
			table.Columns = append(table.Columns, pgtable.Column{Name: columnName(f), Base: base, Type: base, TypeKind: "b", Select: true, Insert: true, Update: true, Deterministic: true, Hashable: true, Comparable: true})
		}
		require.NotEmpty(t, name, d.Name)
		draft := adopt.Adopt(&adopt.Source{Table: table, Concepts: concepts})
		require.Empty(t, draft.Refusal)
		compiled, err := declared.Compile(&draft.Declaration, table)
		require.NoError(t, err, "%v", problem.From(err).Fields)
		adopted := *compiled.Declaration()
		adopted.Fields = slices.DeleteFunc(adopted.Fields, func(f entity.Field) bool { return f.Column == "row_key" })
		fields[d.Name] = make(map[string]bool)
		for i := range adopted.Fields { // the lists call fields by the names of the shipped types
			for j := range d.Fields {
				if columnName(&d.Fields[j]) == adopted.Fields[i].Column {
					adopted.Fields[i].Name = d.Fields[j].Name
				}
			}
			fields[d.Name][adopted.Fields[i].Name] = true
			t.Logf("%s: %s means %s", d.Name, adopted.Fields[i].Column, strings.Join(adopted.Fields[i].Concepts, ", "))
		}
		matchers[d.Name], err = columnmatch.NewMatcher(&adopted, nil, concept.Vocabulary{})
		require.NoError(t, err)
	}
	return matchers, fields
}
