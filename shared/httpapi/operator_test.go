package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

const organisations = "/api/admin/organisations"

// operate returns a request with an operator's token, which names no organisation.
func operate(method, path, body string) request {
	return request{
		method: method, path: path, body: body, contentType: "application/json",
		claims: map[string]string{"sub": "ops", "organisation_id": "", "scope": "admin"},
	}
}

func TestCreatedOrganisationCanImport(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.do(t, operate("POST", organisations, `{"name":"Valley Swimmers"}`))
	made := decode[fields](a, http.StatusCreated)
	require.InDelta(t, 3, made["id"], 0, "the next free id is used")
	require.Equal(t, true, made["active"])
	own := organisations + "/3"
	require.Equal(t, own, a.Header().Get("Location"))
	require.Equal(t, "Valley Swimmers", decode[fields](b.do(t, operate("GET", own, "")), http.StatusOK)["name"])
	require.Equal(t, "Lake Swimmers", decode[fields](b.do(t, operate("PUT", own, `{"name":"Lake Swimmers"}`)), http.StatusOK)["name"])

	period := decode[fields](b.do(t, operate("POST", own+"/periods", `{"name":"2026","startsOn":"2026-01-01","endsOn":"2026-12-31"}`)), http.StatusCreated)
	decode[fields](b.do(t, operate("POST", own+"/membership-types", `{"name":"Senior"}`)), http.StatusCreated)
	body, kind := form(t, part{"file", "roster.csv", roster})
	accepted := request{
		method: "PUT", path: fmt.Sprintf("/api/memberships/import?periodId=%.0f", period["id"]), body: body, contentType: kind,
		claims: map[string]string{"organisation_id": "3"},
	}
	decode[fields](b.do(t, accepted), http.StatusAccepted)
	accepted.claims["organisation_id"] = "1"
	b.do(t, accepted).requireProblem(404, problem.NotFound)
}

func TestOrganisationQuotas(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := decode[fields](b.do(t, operate("POST", organisations, `{"id":9,"name":"Nine","quotas":{"openImports":1}}`)), http.StatusCreated)
	require.Equal(t, fields{"openImports": 1.0, "announcedBytes": nil, "openExports": nil, "streams": nil, "requestsPerMinute": nil}, made["quotas"])
	const body = `{"importType":"USER","filename":"a.csv","sizeBytes":3}`
	announce := request{method: "POST", path: "/api/imports", body: body, contentType: "application/json", claims: map[string]string{"organisation_id": "9"}}
	decode[fields](b.do(t, announce), http.StatusCreated)
	b.do(t, announce).requireProblem(429, problem.QuotaOpenImports)

	own := organisations + "/9/quotas"
	set := decode[fields](b.do(t, operate("PUT", own, `{"openImports":2,"streams":0}`)), http.StatusOK)
	require.Equal(t, fields{"openImports": 2.0, "announcedBytes": nil, "openExports": nil, "streams": 0.0, "requestsPerMinute": nil}, set["quotas"])
	decode[fields](b.do(t, announce), http.StatusCreated)
	b.do(t, operate("PUT", own, `{"streams":-1}`)).requireProblem(422, problem.EntityInvalid)
	b.do(t, operate("PUT", own, `{"rows":1}`)).requireProblem(400, problem.BadJSON)
	b.do(t, operate("PUT", organisations+"/10/quotas", `{}`)).requireProblem(404, problem.NotFound)
}

func TestOrganisationPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	decode[fields](b.do(t, operate("POST", organisations, `{"id":77,"name":"Seventy-seven"}`)), http.StatusCreated)
	a := b.do(t, operate("GET", organisations+"?page=1&size=2", ""))
	found := decode[[]fields](a, http.StatusOK)
	require.Len(t, found, 1)
	require.InDelta(t, 77, found[0]["id"], 0)
	require.Equal(t, "3", a.Header().Get("X-Total-Count"))
	require.Contains(t, a.Header().Get("Link"), `rel="prev"`)
	b.do(t, operate("GET", organisations+"?size=201", "")).requireProblem(400, problem.ParameterInvalid)
	b.do(t, operate("GET", organisations+"?nam=x", "")).requireProblem(400, problem.ParameterInvalid)
	require.InDelta(t, 78, decode[fields](b.do(t, operate("POST", organisations, `{"name":"Next"}`)), http.StatusCreated)["id"], 0)
}

// operatorLists are the lists of entries of organisation 1, with the members of an entry.
var operatorLists = map[string]struct{ body, other string }{
	"/periods":              {`{"name":"2027","startsOn":"2027-01-01","endsOn":"2027-12-31"}`, `{"name":"2028","startsOn":"2028-01-01","endsOn":"2028-12-31"}`},
	"/membership-types":     {`{"name":"Senior"}`, `{"name":"Junior"}`},
	"/events":               {`{"name":"Half Marathon","startsOn":"2026-06-07"}`, `{"name":"Relay"}`},
	"/events/31/categories": {`{"name":"Open"}`, `{"name":"Veterans"}`},
}

func TestOperatorEntries(t *testing.T) {
	t.Parallel()
	b := setupEvents(t)
	for path, bodies := range operatorLists {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			all := organisations + "/1" + path
			before := len(decode[[]fields](b.do(t, operate("GET", all, "")), http.StatusOK))
			a := b.do(t, operate("POST", all, bodies.body))
			made := decode[fields](a, http.StatusCreated)
			address := a.Header().Get("Location")
			require.Equal(t, fmt.Sprintf("%s/%.0f", all, made["id"]), address)
			require.Equal(t, made, decode[fields](b.do(t, operate("GET", address, "")), http.StatusOK))

			a = b.do(t, operate("POST", all, bodies.body))
			a.requireProblem(409, problem.EntityExists)
			require.Equal(t, address, a.Header().Get("Location"), "a repeated request gets the location of the existing entity")

			other := decode[fields](b.do(t, operate("POST", all, bodies.other)), http.StatusCreated)
			b.do(t, operate("PUT", fmt.Sprintf("%s/%.0f", all, other["id"]), bodies.body)).requireProblem(409, problem.EntityExists)
			changed := strings.Replace(bodies.body, `{"name":"`, `{"name":"New `, 1)
			require.Contains(t, decode[fields](b.do(t, operate("PUT", address, changed)), http.StatusOK)["name"], "New ")

			a = b.do(t, operate("GET", all+"?size=1", ""))
			require.Len(t, decode[[]fields](a, http.StatusOK), 1)
			require.Equal(t, fmt.Sprint(before+2), a.Header().Get("X-Total-Count"))
			for _, missing := range []string{"999999", "x", "00000000-0000-4000-8000-000000000000"} {
				b.do(t, operate("GET", all+"/"+missing, "")).requireProblem(404, problem.NotFound)
				b.do(t, operate("PUT", all+"/"+missing, bodies.body)).requireProblem(404, problem.NotFound)
				b.do(t, operate("GET", strings.Replace(all, "/1/", "/"+missing+"/", 1), "")).requireProblem(404, problem.NotFound)
			}
			b.do(t, operate("GET", strings.Replace(address, "/1/", "/2/", 1), "")).requireProblem(404, problem.NotFound)
		})
	}
}

func TestInvalidOperatorEntries(t *testing.T) {
	t.Parallel()
	b := setupEvents(t)
	decode[fields](b.do(t, operate("POST", organisations, `{"id":9,"name":"Nine"}`)), http.StatusCreated)
	for _, c := range []struct{ path, body, field, example string }{
		{"", `{"name":""}`, "name", `"Harbour Athletics"`},
		{"", `{"name":" x"}`, "name", "white space"},
		{"", `{"name":"` + strings.Repeat("ä", 201) + `"}`, "name", "1 to 200"},
		{"", `{"name":"x","id":0}`, "id", "such as 12"},
		{"", `{"name":"x","id":1000000000000}`, "id", "such as 12"},
		{"/1/periods", `{"name":"2026"}`, "startsOn", "2026-01-01"},
		{"/1/periods", `{"name":"x","startsOn":"1.1.2026","endsOn":"2026-12-31"}`, "startsOn", "2026-01-01"},
		{"/1/periods", `{"name":"x","startsOn":"2026-02-02","endsOn":"2026-02-01"}`, "endsOn", "startsOn"},
		{"/1/membership-types", `{"name":"x","endsOn":"2026-02-01"}`, "endsOn", "Remove it"},
		{"/1/events", `{"name":"x","startsOn":"2026-02-30"}`, "startsOn", "2026-01-01"},
		{"/1/events/31/categories", `{"name":"x","startsOn":"2026-02-02"}`, "startsOn", "Remove it"},
	} {
		p := b.do(t, operate("POST", organisations+c.path, c.body)).requireProblem(422, problem.EntityInvalid)
		fault := p["errors"].([]any)[0].(fields)
		require.Equal(t, c.field, fault["field"], c.body)
		require.Contains(t, fault["message"], c.example, c.body)
	}
	for body, code := range map[string]problem.Code{`{"nam":"x"}`: problem.BadJSON, `{"name":"a\u0000b"}`: problem.BadJSON, `{"id":"7","name":"x"}`: problem.BadJSON} {
		b.do(t, operate("POST", organisations, body)).requireProblem(400, code)
	}
	for _, body := range []string{`{"name":"nine"}`, `{"id":9,"name":"Ten"}`} {
		a := b.do(t, operate("POST", organisations, body))
		a.requireProblem(409, problem.EntityExists)
		require.Equal(t, organisations+"/9", a.Header().Get("Location"))
	}
	b.do(t, operate("PUT", organisations+"/9", `{"name":"ONE"}`)).requireProblem(409, problem.EntityExists)
}

// Only the operator scope gives access to these routes, and it gives access to no others.
func TestRegistryNeedsOperator(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for path := range operatorLists {
		for _, target := range []string{organisations, organisations + "/1", organisations + "/1" + path} {
			plain := get(target) // all scopes but admin, for organisation 1
			b.do(t, plain).requireProblem(403, problem.ScopeRequired)
			plain.anonymous = true
			b.do(t, plain).requireProblem(401, problem.Unauthorized)
		}
	}
	b.do(t, request{method: "POST", path: organisations + "/1/deactivate"}).requireProblem(403, problem.ScopeRequired)
	require.True(t, postgrestest.Query[bool](t, b.Database, `SELECT deactivated_at IS NULL FROM organisations WHERE id = 1`))

	everything := get("/api/imports")
	everything.claims = map[string]string{"scope": "admin"}
	b.do(t, everything).requireProblem(403, problem.ScopeRequired)
}

func TestDeactivatedOrganisationKeepsData(t *testing.T) {
	t.Parallel()
	b := setup(t)
	upload := func() apiResponse {
		body, kind := form(t, part{"importType", "", "USER"}, part{"file", "users.csv", users})
		return b.do(t, request{method: "POST", path: "/api/imports", body: body, contentType: kind})
	}
	export := request{method: "POST", path: "/v1/exports", body: `{"resource_type":"users","format":"csv"}`, contentType: "application/json"}
	id := decode[fields](upload(), http.StatusCreated)["identifier"]

	since := decode[fields](b.do(t, operate("POST", organisations+"/1/deactivate", "")), http.StatusOK)["deactivatedAt"]
	require.NotEmpty(t, since)
	require.Equal(t, since, decode[fields](b.do(t, operate("POST", organisations+"/1/deactivate", "")), http.StatusOK)["deactivatedAt"])
	upload().requireProblem(403, problem.OrgInactive)
	b.do(t, export).requireProblem(403, problem.OrgInactive)
	decode[fields](b.do(t, get(fmt.Sprintf("/api/imports/%s", id))), http.StatusOK)

	require.NotContains(t, decode[fields](b.do(t, operate("POST", organisations+"/1/activate", "")), http.StatusOK), "deactivatedAt")
	decode[fields](upload(), http.StatusCreated)
	decode[fields](b.do(t, export), http.StatusAccepted)
}

// A token may name an organisation that does not exist. This once caused an internal error.
func TestUnknownOrganisationCannotImport(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body, kind := form(t, part{"importType", "", "USER"}, part{"file", "users.csv", users})
	stranger := map[string]string{"organisation_id": "404"}
	b.do(t, request{method: "POST", path: "/api/imports", body: body, contentType: kind, claims: stranger}).requireProblem(403, problem.OrgRequired)
	b.do(t, request{
		method: "POST", path: "/v1/exports", body: `{"resource_type":"users","format":"csv"}`, contentType: "application/json", claims: stranger,
	}).requireProblem(403, problem.OrgRequired)
}

func TestOperatorLogOmitsValues(t *testing.T) {
	t.Parallel()
	b := setup(t)
	decode[fields](b.do(t, operate("POST", organisations, `{"name":"Valley Swimmers"}`)), http.StatusCreated)
	decode[fields](b.do(t, operate("POST", organisations+"/3/events", `{"name":"Night Swim"}`)), http.StatusCreated)
	decode[fields](b.do(t, operate("POST", organisations+"/3/deactivate", "")), http.StatusOK)
	var actions []string
	for _, line := range b.logs.lines(t) {
		require.NotContains(t, fmt.Sprint(line), "Valley")
		require.NotContains(t, fmt.Sprint(line), "Night")
		if line["msg"] == "operator" {
			require.Equal(t, "ops", line["by"])
			require.InDelta(t, 3, line["of_organisation"], 0)
			require.NotEmpty(t, line["request_id"])
			actions = append(actions, line["action"].(string))
		}
	}
	require.Equal(t, []string{"organisation created", "event created", "organisation deactivated"}, actions)
}
