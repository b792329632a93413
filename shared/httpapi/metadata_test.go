package httpapi_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// uploadEndpoints lists the endpoints other than POST /api/imports that accept a file, with their
// names for the import in the response and for maxErrors.
var uploadEndpoints = map[string]struct {
	send               func(t *testing.T, b *bundle, metadata map[string]string) apiResponse
	id, maxErrors, doc string // doc: a mapping of its type
}{
	"/v1": {func(t *testing.T, b *bundle, metadata map[string]string) apiResponse {
		return b.createV1(t, nil, append(withMetadata(metadata), part{"resource_type", "", "users"}, part{"file", "users.csv", users})...)
	}, "job_id", "max_errors", `{"fields": [{"field": "EMAIL", "from": ["email"]}]}`},
	"a façade": {func(t *testing.T, b *bundle, metadata map[string]string) apiResponse {
		body, kind := form(t, append(withMetadata(metadata), part{"file", "roster.csv", roster})...)
		return b.do(t, request{method: "PUT", path: "/api/memberships/import?periodId=11", body: body, contentType: kind})
	}, "identifier", "maxErrors", `{"fields": [{"field": "EMAIL", "from": ["Email"]}]}`},
	"an order batch": {func(t *testing.T, b *bundle, metadata map[string]string) apiResponse {
		body, kind := form(t, append(withMetadata(metadata), part{"file", "orders.csv", orders})...)
		return b.do(t, request{method: "POST", path: "/api/orders/bulk-uploads", body: body, contentType: kind})
	}, "jobIdentifier", "maxErrors", `{"fields": [{"field": "CLIENT_ID", "from": ["clientId"]}]}`},
}

func withMetadata(metadata map[string]string) (out []part) {
	for name, text := range metadata {
		out = append(out, part{name, "", text})
	}
	return out
}

// Every endpoint accepts the same metadata, and reports errors with its own parameter names.
func TestMetadataAtEveryEndpoint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.allowRecipients(t)
	for name, way := range uploadEndpoints {
		t.Run(name, func(t *testing.T) {
			metadata := map[string]string{"label": "July", way.maxErrors: "2.5%", "notify": "ada@example.org, ben@example.org", "mapping": way.doc}
			for field, wrong := range map[string]string{"label": "a\nb", way.maxErrors: "100%", "notify": "ada@example.com"} {
				faulty := maps.Clone(metadata)
				faulty[field] = wrong
				p := way.send(t, b, faulty).requireProblem(400, problem.ParameterInvalid)
				require.Equal(t, field, p["errors"].([]any)[0].(fields)["field"])
			}
			way.send(t, b, map[string]string{"colour": "red"}).requireProblem(400, problem.ParameterInvalid)
			id := decode[fields](way.send(t, b, metadata), http.StatusAccepted)[way.id].(string)
			b.requireMetadata(t, id, way.doc)
		})
	}
	t.Run("bulk endpoint, URL", func(t *testing.T) {
		doc := uploadEndpoints["/v1"].doc
		body := `{"resource_type":"users","url":"https://files.example/u.csv","label":"July","max_errors":"2.5%","notify":["ada@example.org","ben@example.org"],"mapping":` + doc + `}`
		p := b.importFromURL(t, "", strings.Replace(body, "2.5%", "some", 1)).requireProblem(400, problem.ParameterInvalid)
		require.Equal(t, "max_errors", p["errors"].([]any)[0].(fields)["field"])
		b.requireMetadata(t, decode[fields](b.importFromURL(t, "k", body), http.StatusAccepted)["job_id"].(string), doc)
	})
}

// TestStoredOptionAtEveryEndpoint: an option of the job's document needs no code in the endpoints.
// The request precedes the profile, and the profile precedes the organisation's settings.
func TestStoredOptionAtEveryEndpoint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	strict := func(id string) any {
		return decode[fields](b.do(t, get("/api/imports/"+id)), http.StatusOK)["strict"]
	}
	for name, way := range uploadEndpoints {
		t.Run(name, func(t *testing.T) {
			p := way.send(t, b, map[string]string{"strict": "perhaps"}).requireProblem(400, problem.ParameterInvalid)
			require.Equal(t, "strict", p["errors"].([]any)[0].(fields)["field"])
			require.Equal(t, true, strict(decode[fields](way.send(t, b, map[string]string{"strict": "true"}), http.StatusAccepted)[way.id].(string)))
		})
	}
	announce := func(changes fields) any {
		return strict(decode[fields](b.announceUsers(t, nil, changes), http.StatusCreated)["identifier"].(string))
	}
	require.Nil(t, announce(fields{}))
	require.Equal(t, true, b.setSettings(t, `{"strict":true}`)["strict"])
	require.Equal(t, true, announce(fields{}))
	require.Equal(t, false, announce(fields{"strict": false}))

	profile := b.createProfile(t, fields{"importType": "USER", "name": "Shop", "strict": false, "mapping": fields{}})
	require.Equal(t, false, decode[fields](b.callProfiles(t, "GET", "/"+profile, "", nil), http.StatusOK)["strict"])
	require.Equal(t, false, announce(fields{"profile": "Shop"}))
	require.Equal(t, true, announce(fields{"profile": "Shop", "strict": true}))
	require.Nil(t, b.setSettings(t, `{"strict":null}`)["strict"])
}

// requireMetadata checks that an import has the metadata of the test.
func (b *bundle) requireMetadata(t *testing.T, id, mapping string) {
	t.Helper()
	made := decode[fields](b.do(t, get("/api/imports/"+id)), http.StatusOK)
	require.Equal(t, []any{"July", "2.5%", []any{"ada@example.org", "ben@example.org"}}, []any{made["label"], made["maxErrors"], made["notify"]})
	require.JSONEq(t, mapping, postgrestest.Query[string](t, b.Database, `SELECT document::text FROM import_given_mappings WHERE job_id = $1`, b.job(t, 1, id).Key))
}

// An upload of a batch can request a review and a profile. The first upload of a file decides.
func TestBatchWithReviewAndProfile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.createProfile(t, fields{"importType": "ORDER", "name": "Shop", "mapping": fields{"source": fields{"delimiter": ";"}}})
	upload := func(query, file string) apiResponse {
		body, kind := form(t, part{"file", "orders.csv", file})
		return b.do(t, request{method: "POST", path: "/api/orders/bulk-uploads?" + query, body: body, contentType: kind})
	}
	upload("profile=Shopp", orders).requireProblem(422, problem.ProfileUnknown)
	upload("review=sometimes", orders).requireProblem(400, problem.ParameterInvalid)
	batch := decode[fields](upload("profile=shop&review=always", orders), http.StatusAccepted)
	id := batch["jobIdentifier"].(string)
	made := decode[fields](b.do(t, get("/api/imports/"+id)), http.StatusOK)
	require.Equal(t, []any{"always", false, "Shop"}, []any{made["review"], made["autoStart"], made["profile"].(fields)["name"]})
	require.Equal(t, ";", made["options"].(fields)["delimiter"])

	b.setStatus(t, id, job.ColumnMapping)
	again := decode[fields](upload("review=never", orders), http.StatusOK)
	require.Equal(t, []any{batch["batchId"], "PROCESSING"}, []any{again["batchId"], again["status"]}, "the retry returns the batch, although it waits for decisions")
	require.Equal(t, job.ReviewAlways, b.job(t, 1, id).Review)
}
