package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

// listFilenames returns the filenames in a list of imports.
func (b *bundle) listFilenames(t *testing.T, query string) []string {
	t.Helper()
	out := []string{}
	for _, j := range decode[[]fields](b.do(t, get("/api/imports?"+query)), http.StatusOK) {
		out = append(out, j["originalFilename"].(string))
	}
	return out
}

func TestImportSearch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	create := func(caller string, options fields) {
		options["importType"], options["sizeBytes"] = "USER", 10
		body, err := json.Marshal(options)
		require.NoError(t, err)
		decode[fields](b.do(t, request{method: "POST", path: "/api/imports", body: string(body), contentType: "application/json", claims: map[string]string{"sub": caller}}), http.StatusCreated)
	}
	create("ada", fields{"filename": "Members July.csv", "label": "season"})
	create("ben", fields{"filename": "members august.csv", "label": "season"})
	create("ada", fields{"filename": "100%_orders.csv", "label": "shop"})
	for query, want := range map[string][]string{
		"":                              {"100%_orders.csv", "members august.csv", "Members July.csv"},
		"filename=MEMBERS":              {"members august.csv", "Members July.csv"},
		"filename=%25_":                 {"100%_orders.csv"},
		"uploader=ada":                  {"100%_orders.csv", "Members July.csv"},
		"label=season":                  {"members august.csv", "Members July.csv"},
		"label=sea":                     {},
		"label=season&uploader=ben":     {"members august.csv"},
		"sort=createdAt":                {"Members July.csv", "members august.csv", "100%_orders.csv"},
		"sort=filename":                 {"100%_orders.csv", "members august.csv", "Members July.csv"},
		"sort=-filename":                {"Members July.csv", "members august.csv", "100%_orders.csv"},
		"sort=label":                    {"members august.csv", "Members July.csv", "100%_orders.csv"},
		"sort=-updatedAt&status=FAILED": {},
	} {
		require.Equal(t, want, b.listFilenames(t, query), query)
	}
	sum := strings.Repeat("0a", 32)
	b.Exec(t, `UPDATE import_jobs SET sha256 = $1 WHERE original_filename = 'members august.csv'`, sum)
	require.Equal(t, []string{"members august.csv"}, b.listFilenames(t, "sha256="+strings.ToUpper(sum)))
	for _, query := range []string{"sha256=0a", "sha256=" + strings.Repeat("z", 64), "sort=size", "sort=--filename", "sort=id", "filename=a&filename=b"} {
		b.do(t, get("/api/imports?"+query)).requireProblem(400, problem.ParameterInvalid)
	}
}

func TestImportSummaryFields(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.allowRecipients(t)
	b.setSettings(t, `{"maxErrors":"5%"}`)
	made := decode[fields](b.announceUsers(t, nil, fields{"label": "July", "maxErrors": 7, "notify": []string{"ada@example.org"}}), http.StatusCreated)
	require.Equal(t, "July", made["label"])
	require.Equal(t, "tester", made["uploader"])
	require.Equal(t, "7", made["maxErrors"])
	require.Equal(t, []any{"ada@example.org"}, made["notify"])
	listed := decode[[]fields](b.do(t, get("/api/imports")), http.StatusOK)[0]
	for _, name := range []string{"label", "uploader", "phase", "createdAt", "identifier"} {
		require.Equal(t, made[name], listed[name], name)
	}
	for _, heavy := range []string{"detected", "options", "warnings", "notify", "sha256"} {
		require.NotContains(t, listed, heavy)
	}
	require.Equal(t, "5%", decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["maxErrors"], "the organisation's setting is the default")
	body, kind := form(t, part{"importType", "", "USER"}, part{"label", "", "form"}, part{"maxErrors", "", "2.5%"}, part{"notify", "", "a@example.org, b@example.org"}, part{"file", "users.csv", users})
	formed := decode[fields](b.do(t, request{method: "POST", path: "/api/imports", body: body, contentType: kind}), http.StatusCreated)
	require.Equal(t, "2.5%", formed["maxErrors"])
	require.Equal(t, []any{"a@example.org", "b@example.org"}, formed["notify"])
}

func TestInvalidMetadata(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.allowRecipients(t)
	long := make([]string, 11)
	for i := range long {
		long[i] = "a@example.org"
	}
	for name, options := range map[string]fields{
		"label with a line break": {"label": "a\nb"}, "label too long": {"label": "x" + strings.Repeat("a", 100)}, "maxErrors that is not a number": {"maxErrors": "some"},
		"all": {"maxErrors": "100%"}, "negative maxErrors": {"maxErrors": "-1"}, "a fraction": {"maxErrors": 1.5}, "invalid e-mail address": {"notify": []string{"ada"}},
		"e-mail address with a name": {"notify": []string{"Ada <ada@example.org>"}}, "header injection in an e-mail address": {"notify": []string{"ada@example.org\r\nBcc: b@example.org"}},
		"e-mail address of another domain": {"notify": []string{"ada@example.com"}}, "e-mail address of a domain with the same suffix": {"notify": []string{"ada@not-example.org"}}, "too many recipients": {"notify": long},
	} {
		t.Run(name, func(t *testing.T) {
			b.announceUsers(t, nil, options).requireProblem(400, problem.ParameterInvalid)
		})
	}
	for _, patch := range []string{`{"mailDomains":["example"]}`, `{"mailDomains":["co.uk"]}`, `{"mailDomains":["@example.org"]}`, `{"mailDomains":["*.org"]}`, `{"maxErrors":"x"}`} {
		b.do(t, request{method: "PATCH", path: "/api/settings", body: patch, contentType: "application/json"}).requireProblem(400, problem.OptionInvalid)
	}
}
