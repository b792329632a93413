package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/organisation/quota"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// names is a mapping of the columns of bundle.createColumnMappingImport.
const names = `{"fields":[
	{"field":"FIRST_NAME","from":["Vorname?"],"transforms":[{"op":"title"}]},
	{"field":"LAST_NAME","from":["Surname","Shoe size"],"separator":"-"},
	{"field":"EMAIL","from":["Surname"]},
	{"field":"ID_COUNTRY","constant":"FR"},
	{"field":"MEMBERSHIP_TYPE_ID","from":["Kind of member"]}],
	"values":[{"field":"MEMBERSHIP_TYPE_ID","value":"Sen.","to":"Senior"}]}`

// putText sends a JSON text to a sub-resource of an import.
func (b *bundle) putText(t *testing.T, method, id, what, body string) apiResponse {
	t.Helper()
	return b.do(t, request{method: method, path: "/api/imports/" + id + "/" + what, body: body, contentType: "application/json"})
}

func TestMappingRoundTrips(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, columns := b.createColumnMappingImport(t)
	require.JSONEq(t, `{"fields":[{"field":"LAST_NAME","from":["Surname"]}]}`, b.sendJSON(t, "GET", id, "mapping", nil).Body.String())

	written := b.putText(t, "PUT", id, "mapping", names)
	require.Equal(t, http.StatusAccepted, written.Code, written.Body)
	read := b.sendJSON(t, "GET", id, "mapping", nil)
	require.JSONEq(t, written.Body.String(), read.Body.String())
	var want, got fields
	require.NoError(t, json.Unmarshal([]byte(names), &want))
	require.NoError(t, json.Unmarshal(read.Body.Bytes(), &got))
	require.Equal(t, want["values"], got["values"])
	require.ElementsMatch(t, want["fields"], got["fields"])
	require.Equal(t, http.StatusAccepted, b.putText(t, "PUT", id, "mapping", read.Body.String()).Code, "a mapping that was read can be written")

	docs := decode[[]fields](b.sendJSON(t, "GET", id, "column-mappings", nil), http.StatusOK)
	require.Len(t, docs, 6)
	for _, d := range docs[:4] {
		require.InDelta(t, columns[d["sourceHeader"].(string)], d["id"], 0, "columns keep their ids")
	}
	require.Equal(t, []any{"Surname", "Shoe size"}, docs[1]["from"])
	require.Equal(t, "-", docs[1]["separator"])
	require.Equal(t, []any{"LAST_NAME", "EMAIL"}, docs[1]["feeds"])
	require.Equal(t, []any{"LAST_NAME"}, docs[3]["feeds"])
	require.Nil(t, docs[3]["targetField"])
	require.Equal(t, "EMAIL", docs[4]["targetField"])
	require.Equal(t, "FR", docs[5]["constant"])

	// The document is complete: a field that it omits is unmapped, and reported as missing.
	less := `{"fields":[{"field":"LAST_NAME","from":["Surname"]}]}`
	p := b.putText(t, "PUT", id, "mapping", less).requireProblem(406, problem.MappingIncomplete)
	require.Len(t, p["errors"], 2)
	require.JSONEq(t, less, b.sendJSON(t, "GET", id, "mapping", nil).Body.String())
	b.putText(t, "PUT", id, "mapping", names)
	doc := decode[fields](b.sendJSON(t, "POST", id, "column-mappings/confirm", nil), http.StatusAccepted)
	require.Equal(t, "CELL_MAPPING", doc["status"])
	b.putText(t, "PUT", id, "mapping", names).requireProblem(409, problem.StateConflict)
}

func TestInvalidMappings(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, _ := b.createColumnMappingImport(t)
	before := b.sendJSON(t, "GET", id, "column-mappings", nil).Body.String()
	for text, path := range map[string]string{
		`{"fields":[{"field":"SHOE_SIZE","from":["Shoe size"]}]}`:                                         "fields[0].field",
		`{"fields":[{"field":"EMAIL","from":["Mail"]}]}`:                                                  "EMAIL",
		`{"fields":[{"field":"JOINED_ON","constant":"soon"}]}`:                                            "fields[0].constant",
		`{"fields":[{"field":"EMAIL","from":["Surname"],"transforms":[{"op":"extract","pattern":"("}]}]}`: "fields[0].transforms",
		`{"fields":[{"field":"LAST_NAME","from":["Surname"],"transforms":[` + largePatterns(13) + `]}]}`:  "fields[0].transforms",
		`{"source":{"headerRow":3}}`:                                                                      "source",
		`{"values":[{"field":"GENDER","value":"Vrouw","to":"WOMAN"}]}`:                                    "values[0]",
	} {
		for _, call := range []struct{ method, what string }{{"PUT", "mapping"}, {"POST", "mapping/preview"}} {
			if call.method == "POST" && path == "source" {
				continue // only the fields are tried
			}
			if call.method == "POST" {
				b.storeAnalysis(t, id)
			}
			p := b.putText(t, call.method, id, call.what, text).requireProblem(422, problem.MappingInvalid)
			require.Equal(t, path, p["errors"].([]any)[0].(fields)["field"], text)
		}
		created := fields{"importType": "MEMBERSHIP", "contextId": 11, "mapping": json.RawMessage(text)}
		if path != "EMAIL" && path != "source" { // these errors appear only with the file
			b.announceUsers(t, nil, created).requireProblem(422, problem.MappingInvalid)
		}
	}
	require.Equal(t, before, b.sendJSON(t, "GET", id, "column-mappings", nil).Body.String(), "a rejected mapping is not saved")
	b.putText(t, "PUT", id, "mapping", `[]`).requireProblem(422, problem.MappingInvalid)
	b.putText(t, "PUT", id, "mapping", `{`).requireProblem(400, problem.BadJSON)
}

// storeAnalysis stores the analysis of a file with four columns.
func (b *bundle) storeAnalysis(t *testing.T, id string) {
	t.Helper()
	b.inTx(t, func(tx pgx.Tx) error {
		j, err := b.DB.Job(t.Context(), tx, job.ID(id))
		require.NoError(t, err)
		dialect, err := json.Marshal(sheet.Dialect{Format: sheet.CSV, Delimiter: ",", Quote: `"`, LineEnd: "\n", HeaderRow: 1, DataOffset: int64(len(fourColumnHeader)), Header: []string{"Vorname?", "Surname", "Kind of member", "Shoe size"}})
		require.NoError(t, err)
		return b.DB.SaveAnalysis(t.Context(), tx, j.Key, job.Analysis{ETag: `"e1"`, Dialect: dialect})
	})
}

const fourColumnHeader = "Vorname?,Surname,Kind of member,Shoe size\n"

func TestColumnCompositionDecisions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, columns := b.createColumnMappingImport(t)
	docs := decode[[]fields](b.sendJSON(t, "PUT", id, "column-mappings", []fields{
		{"id": columns["Vorname?"], "targetField": "FIRST_NAME", "transforms": []fields{{"op": "lower"}}},
		{"targetField": "LAST_NAME", "from": []string{"Shoe size", "Surname"}},
		{"targetField": "MEMBERSHIP_TYPE_ID", "constant": "Senior"},
		{"id": columns["Kind of member"], "ignore": true},
	}), http.StatusAccepted)
	require.Equal(t, []any{"Shoe size", "Surname"}, docs[3]["from"])
	require.Nil(t, docs[1]["targetField"], "the other column's match is removed")
	require.Equal(t, []any{map[string]any{"op": "lower"}}, docs[0]["transforms"])
	constant := docs[4]["id"]
	require.Equal(t, "Senior", docs[4]["constant"])

	// A direct decision about the column removes its steps; a field without a column is removed.
	p := b.sendJSON(t, "PUT", id, "column-mappings", []fields{{"id": columns["Vorname?"], "targetField": "FIRST_NAME"}, {"id": constant, "ignore": true}}).requireProblem(406, problem.MappingIncomplete)
	require.Equal(t, "MEMBERSHIP_TYPE_ID", p["errors"].([]any)[0].(fields)["field"])
	docs = decode[[]fields](b.sendJSON(t, "GET", id, "column-mappings", nil), http.StatusOK)
	require.Len(t, docs, 4)
	require.Empty(t, docs[0]["transforms"])

	for _, mapping := range [][]fields{
		{{"targetField": "EMAIL", "from": []string{"Mail"}}}, {{"targetField": "EMAIL", "from": []string{"Surname"}, "constant": "a@x.org"}},
		{{"targetField": "EMAIL", "from": []string{"Surname"}, "ignore": true}}, {{"from": []string{"Surname"}}}, {{"targetField": "EMAIL", "separator": "-"}},
		{{"id": columns["Surname"], "targetField": "EMAIL", "from": []string{"Surname"}}}, {{"id": 1 << 40, "targetField": "EMAIL", "transforms": []fields{}}},
		{{"targetField": "EMAIL", "from": []string{"Surname"}}, {"targetField": "EMAIL", "from": []string{"Shoe size"}}},
		{{"targetField": "EMAIL", "from": []string{"Surname"}}, {"id": columns["Kind of member"], "targetField": "EMAIL"}},
		{{"targetField": "JOINED_ON", "constant": "soon"}},
	} {
		b.sendJSON(t, "PUT", id, "column-mappings", mapping).requireProblem(422, problem.MappingInvalid)
	}
	require.Len(t, decode[[]fields](b.sendJSON(t, "GET", id, "column-mappings", nil), http.StatusOK), 4, "a rejected decision is not saved")
}

func TestMappingPreview(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, _ := b.createColumnMappingImport(t)
	const try = `{"fields":[
		{"field":"LAST_NAME","from":["Surname"],"transforms":[{"op":"title"}]},
		{"field":"BIRTH_DATE","from":["Shoe size"],"transforms":[{"op":"extract","pattern":"[0-9/]+"}]},
		{"field":"MEMBERSHIP_TYPE_ID","constant":"Senior"}]}`
	b.putText(t, "POST", id, "mapping/preview", try).requireProblem(409, problem.StateConflict)
	b.storeAnalysis(t, id)
	b.putText(t, "POST", id, "mapping/preview", try).requireProblem(410, problem.Gone)

	file := fourColumnHeader + "Ada,LANG,x,né 03/04/1990\nUte,NOETHER,x,?\nToo,short\nEve,CURIE,x,25/12/1991\n"
	b.storeFile(t, id, file)
	got := decode[fields](b.putText(t, "POST", id, "mapping/preview?limit=3", try), http.StatusOK)
	require.JSONEq(t, `[
		{"row":2,"values":[
			{"field":"LAST_NAME","cells":["LANG"],"text":"Lang","value":"Lang","fault":null},
			{"field":"BIRTH_DATE","cells":["né 03/04/1990"],"text":"03/04/1990","value":"1990-04-03","fault":null},
			{"field":"MEMBERSHIP_TYPE_ID","cells":[],"text":"Senior","value":"Senior","fault":null}]},
		{"row":3,"values":[
			{"field":"LAST_NAME","cells":["NOETHER"],"text":"Noether","value":"Noether","fault":null},
			{"field":"BIRTH_DATE","cells":["?"],"text":"","value":null,"fault":{"code":"CELL_TRANSFORM","field":"BIRTH_DATE","value":"?","message":"Date of birth: Step 1 (extract): The pattern does not match."}},
			{"field":"MEMBERSHIP_TYPE_ID","cells":[],"text":"Senior","value":"Senior","fault":null}]},
		{"row":4,"code":"ROW_WIDTH","values":[]}]`, text(t, got["rows"]))
	require.JSONEq(t, `{"field":"BIRTH_DATE","faults":1,"decimalMark":{"value":null,"evidence":"NONE","decidingCells":0,"ambiguousCells":0},
		"dateOrder":{"value":"dmy","evidence":"DECIDED","decidingCells":1,"ambiguousCells":0}}`, text(t, got["fields"].([]any)[1]), "a row outside the preview decides the date order")
	require.Len(t, decode[fields](b.putText(t, "POST", id, "mapping/preview", `{"fields":[]}`), http.StatusOK)["rows"], 0)
	b.putText(t, "POST", id, "mapping/preview?limit=51", try).requireProblem(400, problem.ParameterInvalid)
	require.JSONEq(t, `{"fields":[{"field":"LAST_NAME","from":["Surname"]}]}`, b.sendJSON(t, "GET", id, "mapping", nil).Body.String(), "the preview changes nothing")
}

// largePatterns returns extract steps with some 1,600 instructions each.
func largePatterns(n int) string {
	return strings.TrimSuffix(strings.Repeat(`{"op":"extract","pattern":"(?:a*a*a*a*){200}b","otherwise":"keep"},`, n), ",")
}

// TestExpensiveRequestsTakeSlot: a preview with expensive patterns runs alone in its organisation;
// ordinary ones never wait for it.
func TestExpensiveRequestsTakeSlot(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, _ := b.createColumnMappingImport(t)
	b.storeAnalysis(t, id)
	b.storeFile(t, id, fourColumnHeader+strings.Repeat("Ada,"+strings.Repeat("a", 10_000)+",x,1\n", 3))
	expensive := `{"fields":[{"field":"LAST_NAME","from":["Surname"],"transforms":[{"op":"extract","pattern":"(?:a*a*a*a*){10}b","otherwise":"keep"}]}]}`
	for range 2 {
		require.Equal(t, http.StatusOK, b.putText(t, "POST", id, "mapping/preview", expensive).Code)
	}

	slot, err := b.DB.AcquireSlot(t.Context(), 1, quota.WorkSlot)
	require.NoError(t, err)
	require.NotZero(t, slot, "the previews have released their slot")
	refused := b.putText(t, "POST", id, "mapping/preview", expensive)
	refused.requireProblem(429, problem.TooManyRequests)
	require.Equal(t, "2", refused.Header().Get("Retry-After"))
	require.Equal(t, http.StatusOK, b.putText(t, "POST", id, "mapping/preview?limit=1", expensive).Code)
	require.NoError(t, b.DB.ReleaseAcquired(t.Context(), 1, slot))
	require.Equal(t, http.StatusOK, b.putText(t, "POST", id, "mapping/preview", expensive).Code)
}

func text(t *testing.T, document any) string {
	t.Helper()
	out, err := json.Marshal(document)
	require.NoError(t, err)
	return string(out)
}

// storeFile replaces the file of a job.
func (b *bundle) storeFile(t *testing.T, id, file string) {
	t.Helper()
	b.inTx(t, func(tx pgx.Tx) error {
		j, err := b.DB.Job(t.Context(), tx, job.ID(id))
		require.NoError(t, err)
		require.NoError(t, b.DB.MarkUploaded(t.Context(), tx, j.Key, object.Info{Size: int64(len(file))}))
		b.objects.stored[j.ObjectKey] = file
		return nil
	})
}

// Every endpoint saves the mapping unchanged, stores its reading options, and includes it in the
// request fingerprint.
func TestImportWithMapping(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const mapping = `{"source":{"headerRow":2,"delimiter":";"},"fields":[{"field":"LAST_NAME","from":["Surname"]}]}`
	form := func(path string, method string, parts ...part) request {
		body, contentType := form(t, append(parts, part{"mapping", "", mapping}, part{"file", "members.csv", "Surname\nLang\n"})...)
		return request{method: method, path: path, body: body, contentType: contentType}
	}
	document := func(path, format string) request {
		return request{method: "POST", path: path, contentType: "application/json", body: fmt.Sprintf(format, mapping)}
	}
	for name, r := range map[string]request{
		"announced":              document("/api/imports", `{"importType":"MEMBERSHIP","contextId":11,"filename":"m.csv","sizeBytes":9,"options":{"delimiter":","},"mapping":%s}`),
		"generic endpoint, form": form("/api/imports", "POST", part{"importType", "", "MEMBERSHIP"}, part{"contextId", "", "11"}, part{"options", "", `{"delimiter":","}`}),
		"endpoint of the type":   form("/api/memberships/import?periodId=11", "PUT"),
		"bulk":                   form("/v1/imports", "POST", part{"resource_type", "", "memberships"}, part{"context_id", "", "11"}),
		"bulk endpoint, URL":     document("/v1/imports", `{"resource_type":"memberships","context_id":11,"url":"https://files.example/m.csv","mapping":%s}`),
	} {
		r.headers = map[string]string{"Idempotency-Key": strings.ReplaceAll(name, " ", "-")}
		var doc fields
		require.NoError(t, json.Unmarshal(b.do(t, r).Body.Bytes(), &doc), name)
		id, ok := doc["identifier"].(string)
		if !ok {
			id = doc["job_id"].(string)
		}
		want := fields{"headerRow": 2.0, "delimiter": ";"}
		if strings.Contains(r.body, `"delimiter":","`) {
			want["delimiter"] = "," // the options take precedence over the mapping
		}
		require.Equal(t, want, decode[fields](b.do(t, get("/api/imports/"+id)), http.StatusOK)["options"], name)
		require.JSONEq(t, `[{"field":"LAST_NAME","from":["Surname"]}]`, text(t, decode[fields](b.sendJSON(t, "GET", id, "mapping", nil), http.StatusOK)["fields"]), name)
		r.body = strings.Replace(r.body, "Surname", "Name", 1)
		b.do(t, r).requireProblem(422, problem.IdempotencyMismatch)
	}
}
