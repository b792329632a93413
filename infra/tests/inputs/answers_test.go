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

// answers are what people say of an import: with it, while it asks, and once it has ended.
func answers() []line {
	return []line{
		{"a strange review, label, maxErrors or notify 400 PARAMETER_INVALID", map[string]trial{
			"review":    strange("review", `"sometimes"`, `"UNSURE"`, `" never"`, quote(strings.Repeat("x", 10_000))),
			"label":     strange("label", quote(strings.Repeat("é", 101)), `"two\nlines"`, `" padded "`, `"a\u0085b"`),
			"maxErrors": strange("maxErrors", `"-1"`, `"101%"`, `"0.5"`, `"1e3"`, `"99999999999999999999"`, `"٣"`, `"%"`, `"NaN"`),
			"notify":    strange("notify", `["nobody"]`, `["Ada <ada@example.org>"]`, `["a@b.org\r\nBcc: c@d.org"]`, `["a@b.org, c@d.org"]`, `[""]`, many(11, `"a@example.org"`), `["`+strings.Repeat("x", 300)+`@example.org"]`),
		}},
		{"a profile that there is none of 422 PROFILE_UNKNOWN", map[string]trial{
			"with an import": unknownProfile(`"nobody has made it"`, quote(strings.Repeat("x", 100_000)), `"'; DROP TABLE profiles --"`, `"../other"`),
		}},
		{"answers of another kind, or with NUL: 400 BAD_JSON", map[string]trial{
			"with an import": func(t *testing.T, w *world) {
				for _, name := range []string{"review", "label", "profile"} {
					for _, value := range []string{`7`, `true`, `["always"]`, `{}`, `"a\u0000b"`} {
						w.refuse(t, creating(name, value), 400, "BAD_JSON")
					}
				}
				for _, value := range []string{`"a@example.org"`, `[7]`, `{}`, `[["a@example.org"]]`, `["a\u0000@example.org"]`} {
					w.refuse(t, creating("notify", value), 400, "BAD_JSON")
				}
				for _, value := range []string{`["1"]`, `{}`, `true`, `"1\u0000"`} {
					w.refuse(t, creating("maxErrors", value), 400, "BAD_JSON")
				}
			},
		}},
		{"a strange mapping 422 MAPPING_INVALID", map[string]trial{"with an import, and at one that asks": strangeMapping}},
		{"a strange change of how the file is read 400", map[string]trial{"at an import that asks": strangeSource}},
		{"strange corrections of rows refused, and none kept", map[string]trial{"of an import that has ended": strangeRows}},
	}
}

func quote(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a text
	}
	return string(quoted)
}

// many is a JSON list of so many times the same.
func many(n int, value string) string {
	return "[" + strings.Join(slices.Repeat([]string{value}, n), ",") + "]"
}

// creating announces a file, with one more member.
func creating(member, value string) request {
	body := `{"importType":"USER","filename":"a.csv","sizeBytes":1,"` + member + `":` + value + `}`
	return request{method: "POST", path: "/api/imports", contentType: "application/json", body: strings.NewReader(body)}
}

func unknownProfile(names ...string) trial {
	return func(t *testing.T, w *world) {
		for _, name := range names {
			w.refuse(t, creating("profile", name), 422, "PROFILE_UNKNOWN")
		}
	}
}

func strange(member string, values ...string) trial {
	return func(t *testing.T, w *world) {
		for _, value := range values {
			w.refuse(t, creating(member, value), 400, "PARAMETER_INVALID")
		}
	}
}

// asks is an import that waits for a person.
func (w *world) asks(t *testing.T) *rawclient.Job {
	t.Helper()
	j := w.create(t, map[string]string{"importType": "USER"}, "asks.csv", []byte("who,name\nx,y\n"))
	return w.until(t, j.Identifier, func(j *rawclient.Job) bool { return j.Status == "COLUMN_MAPPING" })
}

// say sends a JSON body to an address of an import.
func say(method string, j *rawclient.Job, path, body string) request {
	return request{method: method, path: "/api/imports/" + j.Identifier + path, contentType: "application/json", body: strings.NewReader(body)}
}

func strangeMapping(t *testing.T, w *world) {
	j := w.asks(t)
	const deep = 9_000
	for name, mapping := range map[string]string{
		"a list":             `[]`,
		"a number":           `7`,
		"an unknown member":  `{"colour":"red"}`,
		"an unknown field":   `{"fields":[{"field":"SHOE_SIZE","from":["who"]}]}`,
		"a field twice":      `{"fields":[{"field":"NAME","from":["who"]},{"field":"NAME","from":["name"]}]}`,
		"from a text":        `{"fields":[{"field":"NAME","from":"who"}]}`,
		"from nothing":       `{"fields":[{"field":"NAME"}]}`,
		"from too many":      `{"fields":[{"field":"NAME","from":` + many(21, `"who"`) + `}]}`,
		"two at once":        `{"fields":[{"field":"NAME","from":["who"],"constant":"x"}]}`,
		"an unknown step":    `{"fields":[{"field":"NAME","from":["who"],"transforms":[{"op":"shout"}]}]}`,
		"half a pattern":     `{"fields":[{"field":"NAME","from":["who"],"transforms":[{"op":"extract","pattern":"("}]}]}`,
		"an absurd pattern":  `{"fields":[{"field":"NAME","from":["who"],"transforms":[{"op":"extract","pattern":"((a{1,1000}){1,1000}){1,1000}"}]}]}`,
		"an absurd group":    `{"fields":[{"field":"NAME","from":["who"],"transforms":[{"op":"extract","pattern":"a","group":1000000}]}]}`,
		"a huge number":      `{"fields":[{"field":"NAME","from":["who"],"transforms":[{"op":"split","separator":" ","part":99999999999999999999}]}]}`,
		"a date order":       `{"fields":[{"field":"NAME","from":["who"],"dateOrder":"ymd?"}]}`,
		"a value of nothing": `{"values":[{"field":"ACTIVE","value":"x"}]}`,
		"an absurd then":     `{"values":[{"field":"ACTIVE","value":"x","then":"explode"}]}`,
		"an absurd id":       `{"values":[{"field":"ACTIVE","value":"x","toId":"99999999999999999999"}]}`,
		"a deep one":         `{"fields":` + strings.Repeat("[", deep) + strings.Repeat("]", deep) + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			w.refuse(t, creating("mapping", mapping), 422, "MAPPING_INVALID")
			w.refuse(t, say("PUT", j, "/mapping", mapping), 422, "MAPPING_INVALID")
		})
	}
	for _, mapping := range []string{`{"ignore":["a\u0000b"]}`, `{"fields":[{"field":"NAME","constant":"\u0000"}]}`} {
		w.refuse(t, creating("mapping", mapping), 400, "BAD_JSON")
		w.refuse(t, say("PUT", j, "/mapping", mapping), 400, "BAD_JSON")
	}
	large := `{"ignore":[` + quote(strings.Repeat("x", 1<<20)) + `]}`
	w.refuse(t, creating("mapping", large), 413, "BODY_TOO_LARGE")
	w.refuse(t, say("PUT", j, "/mapping", large), 422, "MAPPING_INVALID")
	w.refuse(t, say("PUT", j, "/mapping", quote(strings.Repeat("x", 3<<20))), 413, "BODY_TOO_LARGE")
}

func strangeSource(t *testing.T, w *world) {
	j := w.asks(t)
	before := query(t, w, `SELECT options::text FROM import_jobs WHERE uuid = $1`, j.Identifier)
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
		t.Run(change, func(t *testing.T) { w.refuse(t, say("PATCH", j, "/source", change), 400, code) })
	}
	w.refuse(t, say("PATCH", j, "/source", `{"sheetName":`+quote(strings.Repeat("x", 3<<20))+`}`), 413, "BODY_TOO_LARGE")
	require.Equal(t, before, query(t, w, `SELECT options::text FROM import_jobs WHERE uuid = $1`, j.Identifier))
}

func strangeRows(t *testing.T, w *world) {
	j := w.imported(t, "USER", "wrong.csv", []byte("email,name,active\nwrong at example,W,yes\nstrange-rows@example.org,R,no\n"))
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
				cells(`{"NAME":` + quote(strings.Repeat("x", 40_000)) + `}`), cells(`{"NAME":1` + strings.Repeat("0", 40_000) + `}`),
				`{"rows":[{"row":0,"cells":{"EMAIL":"x"}}]}`, `{"rows":[{"row":-2,"cells":{"EMAIL":"x"}}]}`,
				`{"rows":` + many(201, `{"row":2,"cells":{"EMAIL":"x"}}`) + `}`,
				where(`{"field":"EMAIL"}`, `[]`), where(`{"field":"SHOE_SIZE"}`, trim), where(`{}`, trim), where(`{"field":"EMAIL"}`, `[{"op":"shout"}]`),
				where(`{"field":"EMAIL"}`, `[{"op":"extract","pattern":"("}]`), where(`{"field":"EMAIL"}`, many(1000, `{"op":"trim"}`)),
				`{"where":{"field":"EMAIL"},"transform":` + trim + `,"cursor":"-1"}`, `{"where":{"field":"EMAIL"},"transform":` + trim + `,"cursor":"99999999999999999999"}`,
				`{"rows":[{"row":2,"cells":{"EMAIL":"x"}}],"where":{"field":"EMAIL"}}`,
			},
		},
		409: {"STATE_CONFLICT": {`{"rows":[{"row":3,"cells":{"EMAIL":"x@example.org"}}]}`, `{"rows":[{"row":9223372036854775807,"cells":{"EMAIL":"x@example.org"}}]}`}},
		413: {"BODY_TOO_LARGE": {cells(`{"NAME":` + quote(strings.Repeat("x", 3<<20)) + `}`)}},
	}
	for _, status := range slices.Sorted(maps.Keys(refused)) {
		for code, bodies := range refused[status] {
			for _, body := range bodies {
				t.Run(body[:min(len(body), 60)], func(t *testing.T) { w.refuse(t, say("PATCH", j, "/rows", body), status, code) })
			}
		}
	}
	for _, value := range []string{`1e400`, `-1e999999999`, `12345678901234567890123456789`, `"` + strings.Repeat("x", 1000) + `"`, `"=1+1"`} {
		a := w.call(t, say("PATCH", j, "/rows", cells(`{"ACTIVE":`+value+`}`)))
		require.Equal(t, http.StatusOK, a.status, "%s", a.body)
		require.Contains(t, string(a.body), `"valid":false`, value)
	}
	require.Zero(t, stacktest.Query[int](t, w.Stack, `SELECT count(*) FROM import_row_corrections c JOIN import_jobs j ON j.id = c.job_id WHERE j.uuid = $1`, j.Identifier))
}
