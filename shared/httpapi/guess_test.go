package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

func guessRequest(t *testing.T, document fields) request {
	t.Helper()
	body, err := json.Marshal(document)
	require.NoError(t, err)
	return request{method: "POST", path: "/api/import-types/guess", body: string(body), contentType: "application/json"}
}

func TestGuessType(t *testing.T) {
	t.Parallel()
	b := setup(t)
	guess := func(document fields) fields { return decode[fields](b.do(t, guessRequest(t, document)), http.StatusOK) }
	first := func(g fields) fields { return g["types"].([]any)[0].(fields) }

	g := guess(fields{"headers": []string{"Full name", "E-mail", "Shoe size"}})
	require.Equal(t, "USER", g["best"])
	require.Equal(t, fields{"importType": "USER", "title": "Users", "columns": 3.0, "matched": 2.0, "fields": []any{"NAME", "EMAIL", nil}, "missing": []any{}}, first(g))

	g = guess(fields{"headers": []string{"Nom", "Adresse électronique"}})
	require.Equal(t, "USER", g["best"], "headers are matched by meaning, in other languages too")

	require.Nil(t, guess(fields{"headers": []string{"E-mail", "Shoe size"}})["best"], "a required column is missing")
	require.Nil(t, guess(fields{"headers": []string{"Name", "Email", "Colour", "Weight", "Shoe size", "Hat"}})["best"], "most columns are unknown")
	require.Equal(t, fields{"best": nil, "types": []any{}}, guess(fields{"headers": []string{"qqq", "zzz"}}))

	german := guessRequest(t, fields{"headers": []string{"Name", "E-mail"}})
	german.headers = map[string]string{"Accept-Language": "de"}
	require.Equal(t, "Benutzer", first(decode[fields](b.do(t, german), http.StatusOK))["title"])
}

// The first rows decide where headers do not.
func TestGuessTypeByRows(t *testing.T) {
	t.Parallel()
	b := setup(t)
	contact := fields{"headers": []string{"Name", "Contact"}}
	without := decode[fields](b.do(t, guessRequest(t, contact)), http.StatusOK)
	contact["rows"] = [][]string{{"Ada Lovelace", "ada@example.org"}, {"Grace Hopper", "grace@example.org"}, {"Alan Turing", "alan@example.org", "more"}, {"Mary"}}
	with := decode[fields](b.do(t, guessRequest(t, contact)), http.StatusOK)
	require.Nil(t, without["best"])
	require.Equal(t, "USER", with["best"])
}

func TestGuessTypeIsBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	long := make([]string, 501)
	rows := make([][]string, 51)
	for i := range rows {
		rows[i] = []string{"a"}
	}
	for name, document := range map[string]fields{
		"no headers": {"headers": []string{}}, "too many headers": {"headers": long}, "long header": {"headers": []string{strings.Repeat("x", 1_001)}},
		"too many rows": {"headers": []string{"a"}, "rows": rows}, "wide row": {"headers": []string{"a"}, "rows": [][]string{long}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b.do(t, guessRequest(t, document)).requireProblem(400, problem.ParameterInvalid)
		})
	}
	b.do(t, guessRequest(t, fields{"headers": []string{"a"}, "rows": [][]string{{strings.Repeat("x", 300_000)}}})).requireProblem(413, problem.BodyTooLarge)
	unread := guessRequest(t, fields{"headers": []string{"a"}})
	unread.claims = map[string]string{"scope": "imports:write"}
	b.do(t, unread).requireProblem(403, problem.ScopeRequired)
}
