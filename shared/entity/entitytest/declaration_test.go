package entitytest_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/postgres/schema"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// forEachType runs a test for each type of the catalogue.
func forEachType(t *testing.T, test func(*testing.T, entity.Type)) {
	t.Helper()
	for _, of := range catalog.New().Types() {
		t.Run(of.Declaration().Name, func(t *testing.T) {
			t.Parallel()
			test(t, of)
		})
	}
}

func TestDeclarationsAreValid(t *testing.T) {
	t.Parallel()
	names := make(map[string]bool)
	for _, of := range catalog.New().Types() {
		d := of.Declaration()
		for _, name := range []string{d.Name, d.Resource} {
			require.False(t, names[name], "two types are called %s", name)
			names[name] = true
		}
	}
	forEachType(t, func(t *testing.T, of entity.Type) {
		d := of.Declaration()
		require.Regexp(t, `^[A-Z]+(_[A-Z]+)*$`, d.Name)
		require.Regexp(t, `^[a-z]+([_-][a-z]+)*$`, d.Resource)
		require.NotEmpty(t, d.Title)
		require.NotEmpty(t, d.Modes)
		require.NotEmpty(t, d.Fields)
		headers := make(map[string]string)     // folded header → field
		lastAliases := make(map[string]string) // folded last alias → field
		for i := range d.Fields {
			f := &d.Fields[i]
			require.Regexp(t, `^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`, f.Name)
			require.Equal(t, i, d.FieldIndex(f.Name), "two fields are called %s", f.Name)
			require.Equal(t, f.Kind == entity.Enum, len(f.Enum) > 0, "%s has values only if it is an enum", f.Name)
			require.Equal(t, f.Kind == entity.Reference || f.IsContextList(), f.Lookup != nil, "%s has a lookup only if it is a reference or a list", f.Name)
			require.False(t, f.Required && f.Default != "", "the required field %s has no default", f.Name)
			require.Equal(t, f.Pattern == "", f.FormatHint == "", "%s: a pattern needs a format hint", f.Name)
			_, err := regexp.Compile(f.Pattern)
			require.NoError(t, err)
			for place, header := range append([]string{f.Title, f.Column, f.Name}, f.Aliases...) {
				folded := strings.NewReplacer(" ", "", "_", "", "-", "", "/", "").Replace(strings.ToLower(header))
				if folded == "" {
					continue
				}
				other, taken := headers[folded]
				if last := place == len(f.Aliases)+2; last && lastAliases[folded] == other {
					taken = false // fields may share their last alias: the other columns decide which field is meant
					lastAliases[folded] = f.Name
				}
				require.False(t, taken && other != f.Name, "%q is a header of both %s and %s", header, other, f.Name)
				headers[folded] = f.Name
			}
		}
	})
}

// Each header in another language belongs to one field, and no field's own name belongs to
// another field.
func TestTranslatedHeadersAreUnambiguous(t *testing.T) {
	t.Parallel()
	forEachType(t, func(t *testing.T, of entity.Type) {
		d := of.Declaration()
		meaning := make(map[string]string)
		for _, f := range d.Fields {
			for _, header := range append([]string{f.Title, f.Column, f.Name}, f.Aliases...) {
				meaning[mapping.HeaderKey(header)] = f.Name
			}
		}
		for _, f := range d.Fields {
			if f.TranslatedAliases == nil {
				continue
			}
			require.GreaterOrEqual(t, len(f.TranslatedAliases), 14, "%s: at least two headers for each language", f.Name)
			for _, header := range f.TranslatedAliases {
				key := mapping.HeaderKey(header)
				require.NotEmpty(t, key, header)
				if other, taken := meaning[key]; taken {
					require.Equal(t, f.Name, other, "%q", header)
				}
				meaning[key] = f.Name
			}
		}
	})
}

// sqlTypes lists the column types that can hold values of a kind.
var sqlTypes = map[entity.Kind][]string{
	entity.Text: {"text"}, entity.Email: {"text"}, entity.Enum: {"text"}, entity.UUID: {"uuid"},
	entity.Integer: {"bigint", "integer", "smallint"}, entity.Decimal: {"numeric"}, entity.Boolean: {"boolean"},
	entity.Date: {"date"}, entity.Timestamp: {"timestamp with time zone"}, entity.TextList: {"ARRAY"},
}

// Plans, undo and history need the changes of each type's tables, and the ids of its entities.
func TestTablesFitTypes(t *testing.T) {
	t.Parallel()
	owner, err := pgx.ParseConfig(postgrestest.Setup(t).OwnerURL)
	require.NoError(t, err)
	require.NoError(t, schema.CheckTypes(t.Context(), owner, catalog.New().Types()))
}

// The declared fields that are columns of the type's own table match that table.
func TestDeclaredColumnsMatchDatabase(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	for _, of := range catalog.New().Types() {
		declaration := of.Declaration()
		if declaration.Export == nil {
			continue
		}
		for _, f := range declaration.Fields {
			if f.Expr != "" {
				continue
			}
			columns := postgrestest.Query[[]string](t, d, `
				SELECT coalesce(array_agg(data_type || ' ' || is_nullable || ' ' || (column_default IS NOT NULL)), '{}')
				FROM information_schema.columns
				WHERE table_name = $1 AND column_name = $2`, declaration.Export.Table, f.Column)
			require.Len(t, columns, 1, "%s.%s", declaration.Export.Table, f.Column)
			var allowed []string
			for _, of := range sqlTypes[f.Kind] {
				nullable := "YES false"
				switch {
				case f.Required:
					nullable = "NO false"
				case f.Default != "":
					nullable = "NO true"
				}
				allowed = append(allowed, of+" "+nullable)
			}
			require.Contains(t, allowed, columns[0], "%s.%s", declaration.Export.Table, f.Column)
		}
	}
}
