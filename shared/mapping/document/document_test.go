package document_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/problem"
)

// memberships returns the declaration for the documents of these tests.
func memberships(t *testing.T) *entity.Declaration {
	t.Helper()
	kind, ok := catalog.New().ByName("MEMBERSHIP")
	require.True(t, ok)
	return kind.Declaration()
}

const fullDocument = `{"source":{"encoding":"cp1252","headerRow":4},` +
	`"fields":[{"field":"LAST_NAME","from":["Nom","Prénom"],"separator":", ","transforms":[{"op":"title"}]},` +
	`{"field":"FIRST_NAME","from":["Nom"],"transforms":[{"op":"split","separator":" ","part":-1}]},` +
	`{"field":"BIRTH_DATE","from":["Né le","#3","Nom#2"],"separator":"","dateOrder":"dmy"},` +
	`{"field":"ID_COUNTRY","constant":"FR"}],` +
	`"ignore":["Notes"],` +
	`"values":[{"field":"GENDER","value":"Vrouw","to":"FEMALE"},{"field":"ID_COUNTRY","value":"Holland","toId":"528"},{"field":"GENDER","value":"?","then":"empty"}],` +
	`"defaults":[{"field":"ID_COUNTRY","to":"NL"}]}`

func TestDocumentRoundTrips(t *testing.T) {
	t.Parallel()
	doc, err := document.Parse([]byte(fullDocument))
	require.NoError(t, err)
	require.NoError(t, doc.CheckFields(memberships(t)))
	again, err := json.Marshal(doc)
	require.NoError(t, err)
	require.JSONEq(t, fullDocument, string(again))
	require.Equal(t, ", ", doc.Fields[0].SeparatorText())
	require.Equal(t, " ", doc.Fields[1].SeparatorText())
	require.Empty(t, doc.Fields[2].SeparatorText())
}

func TestParseReportsErrorPaths(t *testing.T) {
	t.Parallel()
	for text, path := range map[string]string{
		`{"fields":[{"field":"A"}]}`:                                                  "fields[0]",
		`{"fields":[{"field":"A","from":["x"],"constant":"y"}]}`:                      "fields[0]",
		`{"fields":[{"field":"A","constant":"y","transforms":[{"op":"trim"}]}]}`:      "fields[0]",
		`{"fields":[{"field":"A","constant":""}]}`:                                    "fields[0].constant",
		`{"fields":[{"field":"","from":["x"]}]}`:                                      "fields[0].field",
		`{"fields":[{"field":"A","from":["x"]},{"field":"A","from":["y"]}]}`:          "fields[1].field",
		`{"fields":[{"field":"A","from":[""]}]}`:                                      "fields[0].from[0]",
		`{"fields":[{"field":"A","from":["x"],"transforms":[{"op":"shout"}]}]}`:       "fields[0].transforms",
		`{"fields":[{"field":"A","from":["x"],"dateOrder":"ydm"}]}`:                   "fields[0].dateOrder",
		`{"fields":[{"field":"A","from":["x"],"decimalMark":"'"}]}`:                   "fields[0].decimalMark",
		`{"fields":[{"field":"A","from":["x"],"separator":"123456789012345678901"}]}`: "fields[0].separator",
		`{"ignore":[""]}`:                                                                         "ignore[0]",
		`{"source":{"encoding":"klingon"}}`:                                                       "source.encoding",
		`{"values":[{"field":"A","value":"x"}]}`:                                                  "values[0]",
		`{"values":[{"field":"A","value":"x","to":"a","then":"skip"}]}`:                           "values[0]",
		`{"values":[{"field":"A","value":"x","then":"guess"}]}`:                                   "values[0].then",
		`{"values":[{"field":"A","value":"x","toId":"-1"}]}`:                                      "values[0].toId",
		`{"values":[{"field":"A","value":"","to":"a"}]}`:                                          "values[0].value",
		`{"values":[{"field":"A","value":"x","to":"a"},{"field":"A","value":"x","to":"b"}]}`:      "values[1].value",
		`{"defaults":[{"field":"A"}]}`:                                                            "defaults[0]",
		`{"defaults":[{"field":"A","to":"x"},{"field":"A","to":"x"}]}`:                            "defaults[1].field",
		`{"ignore":["` + strings.Repeat(`a","`, document.MaxIgnored) + `"]}`:                      "ignore",
		`{"fields":[{"field":"A","from":["` + strings.Repeat("x", document.MaxHeader+1) + `"]}]}`: "fields[0].from[0]",
	} {
		_, err := document.Parse([]byte(text))
		require.Equal(t, problem.MappingInvalid, problem.CodeOf(err), text)
		fields := problem.From(err).Fields
		require.NotEmpty(t, fields, text)
		require.Equal(t, path, fields[0].Field, text)
		require.True(t, strings.HasSuffix(fields[0].Message, "."), fields[0].Message)
	}
	for _, text := range []string{``, `null`, `[]`, `{"field":[]}`, `{} {}`, `{"fields":[{"field":"A","form":["x"]}]}`, `{"ignore":["\u0000"]}`, `"` + strings.Repeat("x", document.MaxBytes) + `"`} {
		_, err := document.Parse([]byte(text))
		require.Equal(t, problem.MappingInvalid, problem.CodeOf(err), "%.60s", text)
	}
}

func TestCheckFieldsOfType(t *testing.T) {
	t.Parallel()
	for text, path := range map[string]string{
		`{"fields":[{"field":"SHOE_SIZE","from":["x"]}]}`:                 "fields[0].field",
		`{"values":[{"field":"SHOE_SIZE","value":"x","to":"1"}]}`:         "values[0].field",
		`{"values":[{"field":"LAST_NAME","value":"x","to":"y"}]}`:         "values[0]",
		`{"values":[{"field":"GENDER","value":"Vrouw","to":"WOMAN"}]}`:    "values[0]",
		`{"values":[{"field":"GENDER","value":"Vrouw","toId":"1"}]}`:      "values[0]",
		`{"values":[{"field":"GENDER","value":"Vrouw","then":"create"}]}`: "values[0]",
		`{"defaults":[{"field":"LAST_NAME","to":"x"}]}`:                   "defaults[0]",
		`{"defaults":[{"field":"SHOE_SIZE","to":"x"}]}`:                   "defaults[0].field",
	} {
		doc, err := document.Parse([]byte(text))
		require.NoError(t, err, text)
		err = doc.CheckFields(memberships(t))
		require.Equal(t, problem.MappingInvalid, problem.CodeOf(err), text)
		require.Equal(t, path, problem.From(err).Fields[0].Field, text)
	}
}

func TestHeadersNameColumns(t *testing.T) {
	t.Parallel()
	header := []string{" Nom ", "", "Nom", "Nom#2", "Nom", "#2", "nom"}
	h := document.NewHeaders(header)
	seen := map[string]bool{}
	for i := range header {
		name := h.Name(i)
		require.False(t, seen[name], "%q names only one column", name)
		seen[name] = true
		place, ok := h.Place(name)
		require.True(t, ok, name)
		require.Equal(t, i, place, name)
	}
	for name, want := range map[string]int{"Nom": 0, "Nom ": 0, "nom": 6, "#1": 0, "#7": 6, "#2": 5, "Nom#3": 4} {
		place, ok := h.Place(name)
		require.True(t, ok, name)
		require.Equal(t, want, place, name)
	}
	for _, name := range []string{"Prénom", "#0", "#8", "#", "Nom#9", ""} {
		_, ok := h.Place(name)
		require.False(t, ok, name)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(fullDocument))
	f.Add([]byte(`{"fields":[{"field":"A","from":["#1"]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := document.Parse(text)
		if err != nil {
			require.Equal(t, problem.MappingInvalid, problem.CodeOf(err))
			return
		}
		written, err := json.Marshal(doc)
		require.NoError(t, err)
		again, err := document.Parse(written)
		require.NoError(t, err, "%s", written)
		rewritten, err := json.Marshal(again)
		require.NoError(t, err)
		require.Equal(t, string(written), string(rewritten))
	})
}
