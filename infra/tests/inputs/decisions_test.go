package inputs

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// decisionCases test decisions about imports: sent with the file, during questions, and after the
// end.
func decisionCases() []promise {
	return []promise{
		{"a strange review, label, maxErrors or notify 400 PARAMETER_INVALID", map[string]testCase{
			"review":    strangeDecision("review", `"sometimes"`, `"UNSURE"`, `" never"`, quoteJSON(strings.Repeat("x", 10_000))),
			"label":     strangeDecision("label", quoteJSON(strings.Repeat("é", 101)), `"two\nlines"`, `" padded "`, `"a\u0085b"`),
			"maxErrors": strangeDecision("maxErrors", `"-1"`, `"101%"`, `"0.5"`, `"1e3"`, `"99999999999999999999"`, `"٣"`, `"%"`, `"NaN"`),
			"notify":    strangeDecision("notify", `["nobody"]`, `["Ada <ada@example.org>"]`, `["a@b.org\r\nBcc: c@d.org"]`, `["a@b.org, c@d.org"]`, `[""]`, repeatedJSON(11, `"a@example.org"`), `["`+strings.Repeat("x", 300)+`@example.org"]`),
		}},
		{"a profile that there is none of 422 PROFILE_UNKNOWN", map[string]testCase{
			"with an import": rejectsUnknownProfile(`"nobody has made it"`, quoteJSON(strings.Repeat("x", 100_000)), `"'; DROP TABLE profiles --"`, `"../other"`),
		}},
		{"answers of another kind, or with NUL: 400 BAD_JSON", map[string]testCase{
			"with an import": func(t *testing.T, w *harness) {
				for _, name := range []string{"review", "label", "profile"} {
					for _, value := range []string{`7`, `true`, `["always"]`, `{}`, `"a\u0000b"`} {
						w.requireRefused(t, createMemberWithDecision(name, value), 400, "BAD_JSON")
					}
				}
				for _, value := range []string{`"a@example.org"`, `[7]`, `{}`, `[["a@example.org"]]`, `["a\u0000@example.org"]`} {
					w.requireRefused(t, createMemberWithDecision("notify", value), 400, "BAD_JSON")
				}
				for _, value := range []string{`["1"]`, `{}`, `true`, `"1\u0000"`} {
					w.requireRefused(t, createMemberWithDecision("maxErrors", value), 400, "BAD_JSON")
				}
			},
		}},
		{"a strange mapping 422 MAPPING_INVALID", map[string]testCase{"with an import, and at one that asks": strangeMapping}},
		{"a strange change of how the file is read 400", map[string]testCase{"at an import that asks": strangeReadingOptions}},
		{"strange corrections of rows refused, and none kept", map[string]testCase{"of an import that has ended": strangeRows}},
	}
}

func quoteJSON(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // impossible for a text
	}
	return string(quoted)
}

// repeatedJSON returns a JSON list of n times the same value.
func repeatedJSON(n int, value string) string {
	return "[" + strings.Join(slices.Repeat([]string{value}, n), ",") + "]"
}

// createMemberWithDecision announces a file with one more JSON member.
func createMemberWithDecision(member, value string) request {
	body := `{"importType":"USER","filename":"a.csv","sizeBytes":1,"` + member + `":` + value + `}`
	return request{method: "POST", path: "/api/imports", contentType: "application/json", body: strings.NewReader(body)}
}

func rejectsUnknownProfile(names ...string) testCase {
	return func(t *testing.T, w *harness) {
		for _, name := range names {
			w.requireRefused(t, createMemberWithDecision("profile", name), 422, "PROFILE_UNKNOWN")
		}
	}
}

func strangeDecision(member string, values ...string) testCase {
	return func(t *testing.T, w *harness) {
		for _, value := range values {
			w.requireRefused(t, createMemberWithDecision(member, value), 400, "PARAMETER_INVALID")
		}
	}
}

// startWaitingImport starts an import that waits for a person.
func (w *harness) startWaitingImport(t *testing.T) *rawclient.Job {
	t.Helper()
	j := w.createImport(t, map[string]string{"importType": "USER"}, "asks.csv", []byte("who,name\nx,y\n"))
	return w.awaitJob(t, j.Identifier, func(j *rawclient.Job) bool { return j.Status == "COLUMN_MAPPING" })
}

// sendDecision sends a JSON body to a path of an import.
func sendDecision(method string, j *rawclient.Job, path, body string) request {
	return request{method: method, path: "/api/imports/" + j.Identifier + path, contentType: "application/json", body: strings.NewReader(body)}
}

func strangeMapping(t *testing.T, w *harness) {
	j := w.startWaitingImport(t)
	const deep = 9_000
	for name, mapping := range map[string]string{
		"a list":                        `[]`,
		"a number":                      `7`,
		"an unknown member":             `{"colour":"red"}`,
		"an unknown field":              `{"fields":[{"field":"SHOE_SIZE","from":["who"]}]}`,
		"a duplicate field":             `{"fields":[{"field":"NAME","from":["who"]},{"field":"NAME","from":["name"]}]}`,
		"from is a string":              `{"fields":[{"field":"NAME","from":"who"}]}`,
		"neither from nor constant":     `{"fields":[{"field":"NAME"}]}`,
		"too many columns in from":      `{"fields":[{"field":"NAME","from":` + repeatedJSON(21, `"who"`) + `}]}`,
		"both from and constant":        `{"fields":[{"field":"NAME","from":["who"],"constant":"x"}]}`,
		"an unknown transform":          `{"fields":[{"field":"NAME","from":["who"],"transforms":[{"op":"shout"}]}]}`,
		"an incomplete pattern":         `{"fields":[{"field":"NAME","from":["who"],"transforms":[{"op":"extract","pattern":"("}]}]}`,
		"an excessively nested pattern": `{"fields":[{"field":"NAME","from":["who"],"transforms":[{"op":"extract","pattern":"((a{1,1000}){1,1000}){1,1000}"}]}]}`,
		"a group number out of range":   `{"fields":[{"field":"NAME","from":["who"],"transforms":[{"op":"extract","pattern":"a","group":1000000}]}]}`,
		"a number out of range":         `{"fields":[{"field":"NAME","from":["who"],"transforms":[{"op":"split","separator":" ","part":99999999999999999999}]}]}`,
		"an invalid date order":         `{"fields":[{"field":"NAME","from":["who"],"dateOrder":"ymd?"}]}`,
		"a value without a decision":    `{"values":[{"field":"ACTIVE","value":"x"}]}`,
		"an unknown then":               `{"values":[{"field":"ACTIVE","value":"x","then":"explode"}]}`,
		"an id out of range":            `{"values":[{"field":"ACTIVE","value":"x","toId":"99999999999999999999"}]}`,
		"deep nesting":                  `{"fields":` + strings.Repeat("[", deep) + strings.Repeat("]", deep) + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			w.requireRefused(t, createMemberWithDecision("mapping", mapping), 422, "MAPPING_INVALID")
			w.requireRefused(t, sendDecision("PUT", j, "/mapping", mapping), 422, "MAPPING_INVALID")
		})
	}
	for _, mapping := range []string{`{"ignore":["a\u0000b"]}`, `{"fields":[{"field":"NAME","constant":"\u0000"}]}`} {
		w.requireRefused(t, createMemberWithDecision("mapping", mapping), 400, "BAD_JSON")
		w.requireRefused(t, sendDecision("PUT", j, "/mapping", mapping), 400, "BAD_JSON")
	}
	large := `{"ignore":[` + quoteJSON(strings.Repeat("x", 1<<20)) + `]}`
	w.requireRefused(t, createMemberWithDecision("mapping", large), 413, "BODY_TOO_LARGE")
	w.requireRefused(t, sendDecision("PUT", j, "/mapping", large), 422, "MAPPING_INVALID")
	w.requireRefused(t, sendDecision("PUT", j, "/mapping", quoteJSON(strings.Repeat("x", 3<<20))), 413, "BODY_TOO_LARGE")
}

func strangeReadingOptions(t *testing.T, w *harness) {
	j := w.startWaitingImport(t)
	before := queryText(t, w, `SELECT options::text FROM import_jobs WHERE uuid = $1`, j.Identifier)
	for change, code := range map[string]string{
		`{"colour":"red"}`:                       "OPTION_INVALID",
		`{"headerRow":-1}`:                       "OPTION_INVALID",
		`{"headerRow":"one"}`:                    "OPTION_INVALID",
		`{"headerRow":1.5}`:                      "OPTION_INVALID",
		`{"headerRow":99999999999999999999}`:     "OPTION_INVALID",
		`{"headerRows":1000000}`:                 "OPTION_INVALID",
		`{"skipFooterRows":-1}`:                  "OPTION_INVALID",
		`{"skipFooterRows":9223372036854775807}`: "OPTION_INVALID",
		`{"encoding":"ebcdic"}`:                  "OPTION_INVALID",
		`{"delimiter":"ab"}`:                     "OPTION_INVALID",
		`{"delimiter":"\n"}`:                     "OPTION_INVALID",
		`{"sheetIndex":-1}`:                      "OPTION_INVALID",
		`{"dateOrder":"backwards"}`:              "OPTION_INVALID",
		`{"decimalMark":";"}`:                    "OPTION_INVALID",
		`{"columns":7}`:                          "OPTION_INVALID",
		`[]`:                                     "BAD_JSON",
		`{"delimiter":"\u0000"}`:                 "BAD_JSON",
		`{"sheetName":"a\u0000b"}`:               "BAD_JSON",
		`{"headerRow":1}{}`:                      "BAD_JSON",
	} {
		t.Run(change, func(t *testing.T) { w.requireRefused(t, sendDecision("PATCH", j, "/source", change), 400, code) })
	}
	w.requireRefused(t, sendDecision("PATCH", j, "/source", `{"sheetName":`+quoteJSON(strings.Repeat("x", 3<<20))+`}`), 413, "BODY_TOO_LARGE")
	require.Equal(t, before, queryText(t, w, `SELECT options::text FROM import_jobs WHERE uuid = $1`, j.Identifier))
}

func strangeRows(t *testing.T, w *harness) {
	j := w.importToEnd(t, "USER", "wrong.csv", []byte("email,name,active\nwrong at example,W,yes\nstrange-rows@example.org,R,no\n"))
	require.Equal(t, int64(1), j.ErrorCount)
	cells := func(cells string) string { return `{"rows":[{"row":2,"cells":` + cells + `}]}` }
	where := func(where, steps string) string { return `{"where":` + where + `,"transform":` + steps + `}` }
	const trim = `[{"op":"trim"}]`
	refused := map[int]map[string][]string{
		400: {
			"BAD_JSON": {
				`[]`, `7`, `{"rows":7}`, `{"rows":[7]}`, `{"rows":[{"row":"two"}]}`, `{"rows":[{"row":2.5}]}`, `{"rows":[{"row":99999999999999999999}]}`,
				cells(`[]`), cells(`{"EMAIL":"a\u0000b"}`), `{"colour":"red"}`, where(`{"field":7}`, trim), where(`{"field":"EMAIL"}`, `7`), `{"rows":[]}{}`,
			},
			"PARAMETER_INVALID": {
				`{}`, `{"rows":[]}`, `{"rows":[{"row":2}]}`, cells(`{}`), cells(`{"SHOE_SIZE":"x"}`), cells(`{"EMAIL":{}}`), cells(`{"EMAIL":["x"]}`), cells(`{"":"x"}`),
				cells(`{"NAME":` + quoteJSON(strings.Repeat("x", 40_000)) + `}`), cells(`{"NAME":1` + strings.Repeat("0", 40_000) + `}`),
				`{"rows":[{"row":0,"cells":{"EMAIL":"x"}}]}`, `{"rows":[{"row":-2,"cells":{"EMAIL":"x"}}]}`,
				`{"rows":` + repeatedJSON(201, `{"row":2,"cells":{"EMAIL":"x"}}`) + `}`,
				where(`{"field":"EMAIL"}`, `[]`), where(`{"field":"SHOE_SIZE"}`, trim), where(`{}`, trim), where(`{"field":"EMAIL"}`, `[{"op":"shout"}]`),
				where(`{"field":"EMAIL"}`, `[{"op":"extract","pattern":"("}]`), where(`{"field":"EMAIL"}`, repeatedJSON(1000, `{"op":"trim"}`)),
				`{"where":{"field":"EMAIL"},"transform":` + trim + `,"cursor":"-1"}`, `{"where":{"field":"EMAIL"},"transform":` + trim + `,"cursor":"99999999999999999999"}`,
				`{"rows":[{"row":2,"cells":{"EMAIL":"x"}}],"where":{"field":"EMAIL"}}`,
			},
		},
		409: {"STATE_CONFLICT": {`{"rows":[{"row":3,"cells":{"EMAIL":"x@example.org"}}]}`, `{"rows":[{"row":9223372036854775807,"cells":{"EMAIL":"x@example.org"}}]}`}},
		413: {"BODY_TOO_LARGE": {cells(`{"NAME":` + quoteJSON(strings.Repeat("x", 3<<20)) + `}`)}},
	}
	for _, status := range slices.Sorted(maps.Keys(refused)) {
		for code, bodies := range refused[status] {
			for _, body := range bodies {
				t.Run(body[:min(len(body), 60)], func(t *testing.T) { w.requireRefused(t, sendDecision("PATCH", j, "/rows", body), status, code) })
			}
		}
	}
	for _, value := range []string{`1e400`, `-1e999999999`, `12345678901234567890123456789`, `"` + strings.Repeat("x", 1000) + `"`, `"=1+1"`} {
		a := w.send(t, sendDecision("PATCH", j, "/rows", cells(`{"ACTIVE":`+value+`}`)))
		require.Equal(t, http.StatusOK, a.status, "%s", a.body)
		require.Contains(t, string(a.body), `"valid":false`, value)
	}
	require.Zero(t, stacktest.Query[int](t, w.Stack, `SELECT count(*) FROM import_row_corrections c JOIN import_jobs j ON j.id = c.job_id WHERE j.uuid = $1`, j.Identifier))
}
