package declared_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/problem"
)

// accounts is a declaration that uses every part of the format.
func accounts(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/account.yaml")
	require.NoError(t, err)
	return string(text)
}

func TestDeclarationIsReadFromYAMLAndJSON(t *testing.T) {
	t.Parallel()
	fromYAML, err := declared.Parse([]byte(accounts(t)))
	require.NoError(t, err, "%v", problem.From(err).Fields)
	require.Equal(t, "ACCOUNT", fromYAML.Name)
	require.Equal(t, "crm.accounts", fromYAML.Target.Table)
	require.Equal(t, declared.Revive, fromYAML.Deleted.Again)
	require.Equal(t, [][]string{{"email"}, {"employee_no"}}, fromYAML.Fields[4].Reference.By)
	require.Equal(t, "0", fromYAML.Fields[3].Min, "a number without quotes is a text")
	require.Equal(t, map[string]string{"aktiv": "active", "gesperrt": "blocked", "1": "active"}, fromYAML.Fields[2].Synonyms)
	require.Equal(t, declared.Ignore, fromYAML.OnDrift.ColumnAdded)
	document, err := json.MarshalIndent(fromYAML, "", "\t")
	require.NoError(t, err)
	fromJSON, err := declared.Parse(document)
	require.NoError(t, err)
	require.Equal(t, fromYAML, fromJSON)
}

func TestExampleOfTheDocumentationIsValid(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/own-tables.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(page), "```yaml\n")
	require.True(t, found)
	example, _, _ := strings.Cut(rest, "```")
	_, err = declared.Parse([]byte(example))
	require.NoError(t, err, "%v", problem.From(err).Fields)
}

func TestJSONEscapesAreReadAsJSON(t *testing.T) {
	t.Parallel()
	source := strings.Replace(minimal(""), `"Products"`, `"\ud83d\ude00 A\/B"`, 1)
	d, err := declared.Parse([]byte(source))
	require.NoError(t, err)
	require.Equal(t, "😀 A/B", d.Title)
}

// minimal returns the smallest declaration in JSON, with more members.
func minimal(more string) string {
	return `{"loadbay": "type/1", "name": "PRODUCT", "title": "Products", "target": {"table": "app.products"}, "tenant": {"none": true},
	"identity": ["id"], "keys": [{"name": "sku", "fields": ["SKU"], "index": "products_sku_key"}],
	"fields": [{"name": "SKU", "column": "sku"}]` + more + `}`
}

func TestAllErrorsAreReportedAtTheirPositions(t *testing.T) {
	t.Parallel()
	_, err := declared.Parse([]byte(`loadbay: type/1
name: product
title: Products
titel: Produkte
target: app.products
tenant: {none: true, column: org_id}
identity: [id, id]
keys:
  - {name: sku, fields: [SKU, EAN], index: none}
fields:
  - {name: SKU, column: sku, Kind: text}
  - name: SKU
    column: price
    kind: money
    required: yes
    maxLength: long
  - [x]
`))
	e := problem.From(err)
	require.Equal(t, problem.DeclarationInvalid, e.Code)
	var found []string
	for _, f := range e.Fields {
		require.Equal(t, problem.DeclarationInvalid, f.Code)
		require.True(t, strings.HasSuffix(f.Message, "."), f.Message)
		found = append(found, f.Field+" | "+f.Message)
	}
	require.Equal(t, []string{
		`name | Line 2, column 7: Use 1 to 63 letters A to Z, digits and underscores, and begin with a letter.`,
		`titel | Line 4, column 1: Unknown key. One of capture, deleted, fields, identity, keys, loadbay, messages, modes, name, onDrift, person, rules, subjects, target, tenant, title, touched.`,
		`target | Line 5, column 9: Use keys with values here.`,
		`tenant | Line 6, column 9: Set none, or else column, session or both.`,
		`identity[1] | Line 7, column 16: The entry is repeated. Remove one of them.`,
		`keys[0].fields[1] | Line 9, column 31: Field "EAN" does not exist. Use the name of a field of this type.`,
		`fields[0].Kind | Line 11, column 30: Unknown key. Write it kind.`,
		`fields[1].name | Line 12, column 11: The name is used by another field. Choose another name.`,
		`fields[1].kind | Line 14, column 11: One of text, email, enum, uuid, integer, decimal, boolean, date, timestamp, json, textList.`,
		`fields[1].required | Line 15, column 15: Use true or false.`,
		`fields[1].maxLength | Line 16, column 16: Use a whole number.`,
		`fields[2] | Line 17, column 5: Use keys with values here.`,
	}, found)
}

func TestEachPartIsChecked(t *testing.T) {
	t.Parallel()
	field := func(more string) string { return `, "fields": [{"name": "SKU", "column": "sku", ` + more + `}]` }
	for more, path := range map[string]string{
		`, "subjects": [""]`:                                               "subjects[0]",
		`, "target": {"table": "products"}`:                                "target.table",
		`, "target": {"table": "app.public.products"}`:                     "target.table",
		`, "tenant": {}`:                                                   "tenant",
		`, "tenant": {"column": "org"}`:                                    "tenant.value",
		`, "tenant": {"none": true, "value": "x"}`:                         "tenant.value",
		`, "tenant": {"session": {"search_path": "organisation"}}`:         "tenant.session.search_path",
		`, "tenant": {"session": {"app.organisation": "2"}}`:               "tenant.session.app.organisation",
		`, "tenant": {"session": {"plpgsql.variable_conflict": "x"}}`:      "tenant.session.plpgsql.variable_conflict",
		`, "tenant": {"none": true, "session": {"app.x": "organisation"}}`: "tenant",
		`, "identity": []`:                                                 "identity",
		`, "keys": []`:                                                     "keys",
		`, "modes": ["merge"]`:                                             "modes[0]",
		`, "deleted": {"column": "gone"}`:                                  "deleted.again",
		`, "person": {"key": "EMAIL"}`:                                     "person.key",
		`, "capture": "always"`:                                            "capture",
		`, "rules": [{"check": "", "field": "SKU", "message": "m"}]`:       "rules[0].check",
		`, "rules": [{"check": "x", "field": "Y", "message": "m"}]`:        "rules[0].field",
		`, "messages": {"c": ""}`:                                          "messages.c",
		`, "onDrift": {"columnGone": "continue"}`:                          "onDrift.columnGone",
		field(`"titles": {"German": "x"}`):                                 "fields[0].titles.German",
		field(`"titles": {"de": []}`):                                      "fields[0].titles.de",
		field(`"titles": {"de": ["x", ""]}`):                               "fields[0].titles.de[1]",
		field(`"concepts": ["person.firstname"]`):                          "fields[0].concepts[0]",
		field(`"concepts": ["friend:person.givenName"]`):                   "fields[0].concepts[0]",
		field(`"concepts": ["item.sku", "item.sku"]`):                      "fields[0].concepts[1]",
		field(`"computed": "1", "concepts": ["item.sku"]`):                 "fields[0].concepts",
		`, "fields": [{"name": "SKU", "column": "sku", "concepts": ["item.sku"]}, {"name": "EAN", "column": "ean", "concepts": ["record.id", "item.sku"]}]`: "fields[1].concepts[1]",
		field(`"kind": "money"`):                                                  "fields[0].kind",
		field(`"rounding": "up"`):                                                 "fields[0].rounding",
		field(`"empty": "null", "required": true`):                                "fields[0].empty",
		field(`"kind": "text", "synonyms": {"a": "b"}`):                           "fields[0].synonyms",
		field(`"maxLength": -1`):                                                  "fields[0].maxLength",
		field(`"pattern": "(", "patternHint": "x"`):                               "fields[0].pattern",
		field(`"pattern": "x"`):                                                   "fields[0].patternHint",
		field(`"min": "1e9999999"`):                                               "fields[0].min",
		field(`"min": 3, "max": "2.5"`):                                           "fields[0].max",
		field(`"zone": "Mars/Base"`):                                              "fields[0].zone",
		field(`"reference": {"table": "app.suppliers", "by": []}`):                "fields[0].reference.by",
		field(`"reference": {"table": "app.suppliers", "by": [[]]}`):              "fields[0].reference.by[0]",
		field(`"reference": {"table": "x.y", "by": [["a"]], "create": "always"}`): "fields[0].reference.create",
		field(`"computed": "1", "required": true`):                                "fields[0].required",
	} {
		name, _, _ := strings.Cut(strings.TrimPrefix(more, `, "`), `"`)
		document := map[string]json.RawMessage{}
		require.NoError(t, json.Unmarshal([]byte(minimal("")), &document))
		override := map[string]json.RawMessage{}
		require.NoError(t, json.Unmarshal([]byte("{"+strings.TrimPrefix(more, ",")+"}"), &override), more)
		document[name] = override[name]
		source, err := json.Marshal(document)
		require.NoError(t, err)
		_, err = declared.Parse(source)
		require.Equal(t, problem.DeclarationInvalid, problem.CodeOf(err), more)
		require.Len(t, problem.From(err).Fields, 1, more)
		require.Equal(t, path, problem.From(err).Fields[0].Field, more)
	}
}

func TestDangerousSourcesAreRefused(t *testing.T) {
	t.Parallel()
	for source, message := range map[string]string{
		"":                       "Line 1, column 1: The declaration is empty.",
		"a: &x [1]\nb: [*x, *x]": "Line 1, column 4: Anchors and aliases are not allowed. Repeat the value.",
		"name: !!binary aGk=":    "Line 1, column 7: Tags are not allowed. Remove !!binary.",
		"name: X\n---\nname: Y":  "Line 2, column 1: Only one declaration is allowed in a file.",
		"name: [":                "Line 1, column 1: The text is not valid YAML: did not find expected node content.",
		strings.Repeat("[", 30):  "Line 1, column 1: The text is not valid YAML: did not find expected node content.",
		`{"a":` + strings.Repeat("[", 30) + strings.Repeat("]", 30) + "}": "Line 1, column 26: Use at most 20 levels.",
		"name: X\nname: Y": "Line 2, column 1: The key is repeated. Remove one of them.",
	} {
		_, err := declared.Parse([]byte(source))
		require.Equal(t, problem.DeclarationInvalid, problem.CodeOf(err), source)
		var messages []string
		for _, f := range problem.From(err).Fields {
			messages = append(messages, f.Message)
		}
		require.Contains(t, messages, message, source)
	}
}

// A language can have one title or several; what is read is written the same way.
func TestTitlesAreOneTextOrSeveral(t *testing.T) {
	t.Parallel()
	d, err := declared.Parse([]byte(strings.Replace(minimal(""), `"sku"}]`, `"sku", "titles": {"de": "Nr", "fr": ["Numéro", "Réf"], "nl": 7}}]`, 1)))
	require.NoError(t, err)
	titles := map[string]declared.Texts{"de": {"Nr"}, "fr": {"Numéro", "Réf"}, "nl": {"7"}}
	require.Equal(t, titles, d.Fields[0].Titles)
	written, err := json.Marshal(d.Fields[0].Titles)
	require.NoError(t, err)
	require.JSONEq(t, `{"de": "Nr", "fr": ["Numéro", "Réf"], "nl": "7"}`, string(written))
	var read map[string]declared.Texts
	require.NoError(t, json.Unmarshal(written, &read))
	require.Equal(t, titles, read)
}

func TestLimitsHaveTheirOwnCodes(t *testing.T) {
	t.Parallel()
	_, err := declared.Parse([]byte(strings.Repeat(" ", declared.MaxBytes+1)))
	require.Equal(t, problem.DeclarationTooLarge, problem.CodeOf(err))
	var source strings.Builder
	source.WriteString("fields:\n")
	for i := range declared.MaxFields + 1 {
		fmt.Fprintf(&source, "- {name: F%d, column: f%d}\n", i, i)
	}
	_, err = declared.Parse([]byte(source.String()))
	require.Equal(t, problem.TooManyFields, problem.CodeOf(err))
	_, err = declared.Parse([]byte("subjects: [" + strings.Repeat("x, ", 200) + "x]"))
	require.Len(t, problem.From(err).Fields, 50, "the rest is found later")
}

func TestSplitTable(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]string{
		"crm.accounts": {"crm", "accounts"}, `"my.schema".accounts`: {"my.schema", "accounts"}, `Sales."Order.Lines"`: {"Sales", "Order.Lines"},
		"a b.ü": {"a b", "ü"}, "accounts": {}, "a.b.c": {}, ".b": {}, "a.": {}, `"a".`: {}, `"a.b`: {}, "": {},
		strings.Repeat("x", 64) + ".t": {},
	} {
		schema, table, ok := declared.SplitTable(name)
		require.Equal(t, want[0] != "", ok, name)
		if ok {
			require.Equal(t, want, [2]string{schema, table}, name)
		}
	}
}

func FuzzParse(f *testing.F) {
	text, err := os.ReadFile("testdata/account.yaml")
	require.NoError(f, err)
	f.Add(text)
	f.Add([]byte(minimal("")))
	f.Add([]byte("a: &x [*x]"))
	f.Fuzz(func(t *testing.T, source []byte) {
		d, err := declared.Parse(source)
		if err != nil {
			require.Contains(t, []problem.Code{problem.DeclarationInvalid, problem.DeclarationTooLarge, problem.TooManyFields}, problem.CodeOf(err))
			return
		}
		document, err := json.Marshal(d)
		require.NoError(t, err)
		again, err := declared.Parse(document)
		require.NoError(t, err, "%s", document)
		rewritten, err := json.Marshal(again)
		require.NoError(t, err)
		require.Equal(t, string(document), string(rewritten))
	})
}
