package httpapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// shopProfile returns a profile for users with the headers of a web shop.
func shopProfile(changes fields) fields {
	doc := fields{
		"importType": "USER", "name": "Shop", "headers": []string{"Mail", "Full name"},
		"mapping": fields{
			"source": fields{"delimiter": ";"},
			"fields": []fields{{"field": "EMAIL", "from": []string{"Mail"}}, {"field": "NAME", "from": []string{"Full name"}}},
		},
	}
	maps.Copy(doc, changes)
	return doc
}

// callProfiles calls /api/profiles with a document; match is If-Match.
func (b *bundle) callProfiles(t *testing.T, method, path, match string, doc any) apiResponse {
	t.Helper()
	r := request{method: method, path: "/api/profiles" + path, contentType: "application/json"}
	if doc != nil {
		text, err := json.Marshal(doc)
		require.NoError(t, err)
		r.body = string(text)
	}
	if match != "" {
		r.headers = map[string]string{"If-Match": match}
	}
	return b.do(t, r)
}

// createProfile creates a profile and returns its id.
func (b *bundle) createProfile(t *testing.T, doc fields) string {
	t.Helper()
	return decode[fields](b.callProfiles(t, "POST", "", "", doc), http.StatusCreated)["id"].(string)
}

func TestProfileVersionsAndRestore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.callProfiles(t, "POST", "", "", shopProfile(nil))
	first := decode[fields](made, http.StatusCreated)
	id := first["id"].(string)
	require.Equal(t, "/api/profiles/"+id, made.Header().Get("Location"))
	require.Equal(t, `"1"`, made.Header().Get("ETag"))
	require.Equal(t, "tester", first["savedBy"])
	require.Equal(t, ";", first["mapping"].(fields)["source"].(fields)["delimiter"])

	changed := b.callProfiles(t, "PATCH", "/"+id, `"1"`, fields{"name": "Web shop", "auto": true, "mapping": fields{"ignore": []string{"Mail"}}})
	second := decode[fields](changed, http.StatusOK)
	require.Equal(t, `"2"`, changed.Header().Get("ETag"))
	require.Equal(t, []any{"Web shop", true, 2.0, []any{"Mail", "Full name"}}, []any{second["name"], second["auto"], second["version"], second["headers"]})

	restored := decode[fields](b.callProfiles(t, "POST", "/"+id+"/versions/1/restore", "", nil), http.StatusOK)
	require.Equal(t, first["mapping"], restored["mapping"])
	require.Equal(t, []any{"Web shop", false, 3.0}, []any{restored["name"], restored["auto"], restored["version"]})
	require.Equal(t, restored, decode[fields](b.callProfiles(t, "GET", "/"+id, "", nil), http.StatusOK))
	unchanged := b.do(t, request{method: "GET", path: "/api/profiles/" + id, headers: map[string]string{"If-None-Match": `"3"`}})
	require.Equal(t, http.StatusNotModified, unchanged.Code)

	var versions []any
	for _, v := range decode[[]fields](b.callProfiles(t, "GET", "/"+id+"/versions", "", nil), http.StatusOK) {
		versions = append(versions, fmt.Sprint(v["version"], " ", v["name"]))
	}
	require.Equal(t, []any{"3 Web shop", "2 Web shop", "1 Shop"}, versions)
	old := decode[fields](b.callProfiles(t, "GET", "/"+id+"/versions/1", "", nil), http.StatusOK)
	require.Equal(t, []any{"Shop", first["mapping"]}, []any{old["name"], old["mapping"]})

	listed := decode[[]fields](b.callProfiles(t, "GET", "?importType=USER&name=web", "", nil), http.StatusOK)
	require.Len(t, listed, 1)
	require.NotContains(t, listed[0], "mapping", "list entries have no mapping")
	require.Empty(t, decode[[]fields](b.callProfiles(t, "GET", "?name=shop", "", nil), http.StatusOK))
	require.Equal(t, http.StatusNoContent, b.callProfiles(t, "DELETE", "/"+id, "", nil).Code)
	b.callProfiles(t, "GET", "/"+id, "", nil).requireProblem(404, problem.NotFound)
	require.Zero(t, postgrestest.Query[int](t, b.Database, `SELECT count(*) FROM import_profile_versions`))
}

// An update that is based on an old version is rejected.
func TestConcurrentProfileUpdates(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.createProfile(t, shopProfile(nil))
	b.callProfiles(t, "PATCH", "/"+id, "", fields{"auto": true}).requireProblem(428, problem.VersionRequired)
	for _, match := range []string{"1", `"one"`, `W/"1"`, `"01"`, "*"} {
		b.callProfiles(t, "PATCH", "/"+id, match, fields{"auto": true}).requireProblem(400, problem.ParameterInvalid)
	}
	codes := make([]int, 6)
	var all sync.WaitGroup
	for i := range codes {
		all.Go(func() {
			codes[i] = b.callProfiles(t, "PATCH", "/"+id, `"1"`, fields{"name": fmt.Sprintf("Shop %d", i)}).Code
		})
	}
	all.Wait()
	count := map[int]int{}
	for _, code := range codes {
		count[code]++
	}
	require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusPreconditionFailed: 5}, count)
	require.Equal(t, 2, postgrestest.Query[int](t, b.Database, `SELECT count(*) FROM import_profile_versions`))
}

func TestInvalidProfiles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.createProfile(t, shopProfile(fields{"auto": true}))
	for name, c := range map[string]struct {
		doc    fields
		status int
		code   problem.Code
		field  string
	}{
		"name of another profile":              {shopProfile(fields{"name": "SHOP"}), 409, problem.EntityExists, "name"},
		"auto with another profile's headers":  {shopProfile(fields{"name": "Other", "auto": true, "headers": []string{" mail", "FULL  name"}}), 409, problem.EntityExists, "auto"},
		"auto without headers":                 {shopProfile(fields{"name": "Other", "auto": true, "headers": []string{}}), 422, problem.EntityInvalid, "auto"},
		"no name":                              {shopProfile(fields{"name": ""}), 422, problem.EntityInvalid, "name"},
		"name with a slash":                    {shopProfile(fields{"name": "a/b"}), 422, problem.EntityInvalid, "name"},
		"name that is reserved for no profile": {shopProfile(fields{"name": "-"}), 422, problem.EntityInvalid, "name"},
		"name with surrounding space":          {shopProfile(fields{"name": " Shop 2"}), 422, problem.EntityInvalid, "name"},
		"name too long":                        {shopProfile(fields{"name": strings.Repeat("n", 101)}), 422, problem.EntityInvalid, "name"},
		"header too long":                      {shopProfile(fields{"name": "Other", "headers": []string{strings.Repeat("h", 301)}}), 422, problem.EntityInvalid, "headers[0]"},
		"too many headers":                     {shopProfile(fields{"name": "Other", "headers": make([]string, 501)}), 422, problem.EntityInvalid, "headers"},
		"unknown type":                         {shopProfile(fields{"importType": "PLANET"}), 400, problem.ImportTypeUnknown, "importType"},
		"unknown field":                        {shopProfile(fields{"name": "Other", "mapping": fields{"fields": []fields{{"field": "SHOE_SIZE", "from": []string{"a"}}}}}), 422, problem.MappingInvalid, "fields[0].field"},
		"no mapping":                           {fields{"name": "Other", "importType": "USER"}, 422, problem.MappingInvalid, ""},
		"both an import and a mapping":         {shopProfile(fields{"name": "Other", "fromImport": "0198f3c2-7b1e-7c55-9a55-2f5b8a0e6d11"}), 422, problem.EntityInvalid, "fromImport"},
		"invalid import id":                    {fields{"name": "Other", "fromImport": "1"}, 422, problem.EntityInvalid, "fromImport"},
		"unknown import": {
			fields{"name": "Other", "fromImport": "0198f3c2-7b1e-7c55-9a55-2f5b8a0e6d11"}, 422, problem.EntityInvalid, "fromImport",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := b.callProfiles(t, "POST", "", "", c.doc).requireProblem(c.status, c.code)
			if c.field != "" {
				require.Equal(t, c.field, p["errors"].([]any)[0].(fields)["field"])
			}
		})
	}
}

// Profiles of other organisations do not exist for the caller, and the scopes are those of imports.
func TestProfilesOfOtherOrganisationAreHidden(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.createProfile(t, shopProfile(nil))
	for _, e := range []struct{ method, path, scope string }{
		{"GET", "/" + id, "imports:write"}, {"PATCH", "/" + id, "imports:read"}, {"DELETE", "/" + id, "imports:read"}, {"GET", "/" + id + "/versions", "imports:write"},
		{"GET", "/" + id + "/versions/1", "imports:write"}, {"POST", "/" + id + "/versions/1/restore", "imports:read"}, {"GET", "/" + id + "/imports", "imports:write"},
	} {
		r := request{method: e.method, path: "/api/profiles" + e.path, body: `{}`, contentType: "application/json", headers: map[string]string{"If-Match": `"1"`}}
		stranger := r
		stranger.claims = map[string]string{"organisation_id": "2"}
		b.do(t, stranger).requireProblem(404, problem.NotFound)
		unable := r
		unable.claims = map[string]string{"scope": e.scope}
		b.do(t, unable).requireProblem(403, problem.ScopeRequired)
		nobody := r
		nobody.path = strings.Replace(r.path, id, "1", 1)
		b.do(t, nobody).requireProblem(404, problem.NotFound)
	}
	b.callProfiles(t, "GET", "/"+id+"/versions/2", "", nil).requireProblem(404, problem.NotFound)
	b.callProfiles(t, "POST", "/"+id+"/versions/x/restore", "", nil).requireProblem(404, problem.NotFound)
	stranger := get("/api/profiles")
	stranger.claims = map[string]string{"organisation_id": "2"}
	require.Empty(t, decode[[]fields](b.do(t, stranger), http.StatusOK))
	// Another organisation can use the same name.
	r := request{method: "POST", path: "/api/profiles", contentType: "application/json", claims: map[string]string{"organisation_id": "2"}}
	text, err := json.Marshal(shopProfile(nil))
	require.NoError(t, err)
	r.body = string(text)
	require.Equal(t, http.StatusCreated, b.do(t, r).Code)
}

// A profile saved from an import contains the decisions of people, but no automatic matches.
func TestProfileFromImport(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, columns := b.createColumnMappingImport(t)
	b.callProfiles(t, "POST", "", "", fields{"name": "Early", "fromImport": id}).requireProblem(409, problem.StateConflict)
	b.Exec(t, `UPDATE import_jobs SET dialect = '{}', options = '{"delimiter":";"}' WHERE uuid = $1`, id)
	b.sendJSON(t, "PUT", id, "column-mappings", []fields{
		{"id": columns["Vorname?"], "targetField": "FIRST_NAME"}, {"id": columns["Kind of member"], "targetField": "MEMBERSHIP_TYPE_ID"}, {"id": columns["Shoe size"], "ignore": true},
	})
	b.inTx(t, func(tx pgx.Tx) error {
		j, err := b.DB.Job(t.Context(), tx, job.ID(id))
		require.NoError(t, err)
		return b.DB.AddCellMappings(t.Context(), tx, j, []job.MappedCell{
			{TargetField: "MEMBERSHIP_TYPE_ID", Value: "Adult", Status: job.AutoMatched, EntityID: "7"},
			{TargetField: "MEMBERSHIP_TYPE_ID", Value: "Oldie", Status: job.ManualMatched, EntityID: "7", Confirmed: true},
			{TargetField: "MEMBERSHIP_TYPE_ID", Value: "New", Status: job.ManualMatched, Create: true, Confirmed: true},
			{TargetField: "MEMBERSHIP_TYPE_ID", Value: "None", Status: job.Ignored, Confirmed: true},
			{TargetField: "MEMBERSHIP_TYPE_ID", Value: "Open", Status: job.Unresolved},
		})
	})
	p := decode[fields](b.callProfiles(t, "POST", "", "", fields{"name": "Club", "auto": true, "fromImport": id}), http.StatusCreated)
	require.Equal(t, []any{"MEMBERSHIP", id, []any{"Vorname?", "Surname", "Kind of member", "Shoe size"}}, []any{p["importType"], p["savedFrom"], p["headers"]})
	require.Equal(t, fields{
		"source": fields{"delimiter": ";"},
		"fields": []any{
			fields{"field": "FIRST_NAME", "from": []any{"Vorname?"}}, fields{"field": "LAST_NAME", "from": []any{"Surname"}},
			fields{"field": "MEMBERSHIP_TYPE_ID", "from": []any{"Kind of member"}},
		},
		"ignore": []any{"Shoe size"},
		"values": []any{
			fields{"field": "MEMBERSHIP_TYPE_ID", "value": "New", "then": "create"}, fields{"field": "MEMBERSHIP_TYPE_ID", "value": "None", "then": "skip"},
			fields{"field": "MEMBERSHIP_TYPE_ID", "value": "Oldie", "toId": "7"},
		},
	}, p["mapping"])
	users := b.createProfile(t, shopProfile(nil))
	b.callProfiles(t, "PATCH", "/"+users, `"1"`, fields{"fromImport": id}).requireProblem(422, problem.EntityInvalid)
	again := decode[fields](b.callProfiles(t, "PATCH", "/"+p["id"].(string), `"1"`, fields{"fromImport": id, "name": "Club 2"}), http.StatusOK)
	require.Equal(t, []any{2.0, "Club 2", id, true}, []any{again["version"], again["name"], again["savedFrom"], again["auto"]})
}

// A profile refers to its imports, and an import to its profile.
func TestImportsWithProfile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.createProfile(t, shopProfile(nil))
	members := b.createProfile(t, fields{"importType": "MEMBERSHIP", "name": "Shop", "mapping": fields{}})
	sent := func(method, path string, parts ...part) request {
		body, kind := form(t, parts...)
		return request{method: method, path: path, body: body, contentType: kind}
	}
	remote := request{method: "POST", path: "/v1/imports", body: `{"resource_type":"users","url":"https://files.example/u.csv","profile":"%s"}`, contentType: "application/json"}
	for name, c := range map[string]struct {
		ask     func(profile string) apiResponse
		id      string
		profile string
	}{
		"announced": {func(p string) apiResponse {
			return b.announceUsers(t, nil, fields{"profile": p, "options": fields{"headerRow": 2}})
		}, "identifier", id},
		"a form": {func(p string) apiResponse {
			return b.do(t, sent("POST", "/api/imports", part{"importType", "", "USER"}, part{"profile", "", p}, part{"file", "u.csv", users}))
		}, "identifier", id},
		"/v1": {func(p string) apiResponse {
			return b.createV1(t, nil, part{"resource_type", "", "users"}, part{"profile", "", p}, part{"file", "u.csv", users})
		}, "job_id", id},
		"bulk endpoint, URL": {func(p string) apiResponse {
			r := remote
			r.body = fmt.Sprintf(r.body, p)
			return b.do(t, r)
		}, "job_id", id},
		"façade endpoint": {func(p string) apiResponse {
			return b.do(t, sent("PUT", "/api/memberships/import?periodId=11&profile="+p, part{"file", "m.csv", roster}))
		}, "identifier", members},
	} {
		t.Run(name, func(t *testing.T) {
			made := c.ask("shop")
			require.Less(t, made.Code, 300, made.Body)
			document := decode[fields](b.do(t, get("/api/imports/"+decode[fields](made, made.Code)[c.id].(string))), http.StatusOK)
			require.Equal(t, fields{"id": c.profile, "name": "Shop", "version": 1.0, "chosenBy": "NAME"}, document["profile"])
			options := document["options"].(fields)
			if c.profile == id {
				require.Equal(t, ";", options["delimiter"], "the profile's options apply to the file")
			}
			if name == "announced" {
				require.InDelta(t, 2, options["headerRow"], 0, "options of the request are kept")
			}
			c.ask("Shopp").requireProblem(422, problem.ProfileUnknown)
		})
	}
	used := decode[[]fields](b.callProfiles(t, "GET", "/"+id+"/imports", "", nil), http.StatusOK)
	require.Len(t, used, 4)
	open := used[0]["identifier"].(string)
	b.callProfiles(t, "DELETE", "/"+id, "", nil).requireProblem(409, problem.StateConflict)
	for _, j := range used {
		b.setStatus(t, j["identifier"].(string), job.Failed)
	}
	require.Equal(t, http.StatusNoContent, b.callProfiles(t, "DELETE", "/"+id, "", nil).Code)
	require.Equal(t, fields{"id": nil, "name": "Shop", "version": 1.0, "chosenBy": "NAME"}, decode[fields](b.do(t, get("/api/imports/"+open)), http.StatusOK)["profile"])
}

// Imports are filtered by the profile's id or name: its current name, or the last name of a deleted
// profile.
func TestImportProfileFilter(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.createProfile(t, shopProfile(nil))
	other := b.createProfile(t, shopProfile(fields{"name": "Other"}))
	read := decode[fields](b.announceUsers(t, nil, fields{"profile": "Shop", "filename": "shop.csv"}), http.StatusCreated)["identifier"].(string)
	b.announceUsers(t, nil, fields{"profile": "Other", "filename": "other.csv"})
	b.announceUsers(t, nil, fields{"filename": "none.csv"})
	finds := func(want []string, queries ...string) {
		t.Helper()
		for _, query := range queries {
			require.Equal(t, want, b.listFilenames(t, "profile="+query), query)
		}
	}
	finds([]string{"shop.csv"}, id, "Shop", "sHOP", "shop&importType=USER", "shop&active=true")
	finds([]string{"other.csv"}, other, "other")
	finds([]string{}, "Sho", "%25", "0198f3c2-7b1e-7c55-9a55-2f5b8a0e6d11", "shop&importType=ORDER", "shop&active=false")
	require.Equal(t, "1", b.do(t, get("/api/imports?profile=shop&size=1")).Header().Get("X-Total-Count"))

	require.Equal(t, http.StatusOK, b.callProfiles(t, "PATCH", "/"+id, `"1"`, fields{"name": "Web shop"}).Code)
	finds([]string{"shop.csv"}, id, "web%20shop")
	finds([]string{}, "shop")
	b.setStatus(t, read, job.Failed)
	require.Equal(t, http.StatusNoContent, b.callProfiles(t, "DELETE", "/"+id, "", nil).Code)
	finds([]string{"shop.csv"}, "shop")
	finds([]string{}, id, "web%20shop")
	b.do(t, get("/api/imports?profile=a&profile=b")).requireProblem(400, problem.ParameterInvalid)
	stranger := get("/api/imports?profile=other")
	stranger.claims = map[string]string{"organisation_id": "2"}
	require.Empty(t, decode[[]fields](b.do(t, stranger), http.StatusOK))
}

// The number of versions is limited; imports that have not ended keep the version that they use.
func TestProfileVersionsAreBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.createProfile(t, shopProfile(nil))
	b.announceUsers(t, nil, fields{"profile": "Shop"})
	b.Exec(t, `UPDATE import_profiles SET version = 150`)
	b.Exec(t, `INSERT INTO import_profile_versions SELECT profile_id, organisation_id, n, name, auto, headers, mapping, saved_from, saved_by FROM import_profile_versions, generate_series(2, 150) AS n`)
	require.Equal(t, http.StatusOK, b.callProfiles(t, "PATCH", "/"+id, `"150"`, fields{}).Code)
	kept := postgrestest.Query[[]int](t, b.Database, `SELECT array_agg(version ORDER BY version) FROM import_profile_versions`)
	require.Len(t, kept, 101)
	require.Equal(t, []int{1, 52}, kept[:2])
	require.Equal(t, 151, kept[100])
}

// A profile that is deleted while an import is created leaves no import with a missing profile: the
// second transaction sees the result of the first.
func TestProfileDeletedDuringCreate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := job.ProfileID(b.createProfile(t, shopProfile(nil)))
	made := make(chan apiResponse, 1)
	b.inTx(t, func(tx pgx.Tx) error {
		_, err := b.DB.LockProfile(t.Context(), tx, id)
		require.NoError(t, err)
		go func() { made <- b.announceUsers(t, nil, fields{"profile": "Shop"}) }()
		require.Eventually(t, func() bool {
			return postgrestest.Query[bool](t, b.Database, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%import_profiles%')`)
		}, 30*time.Second, 5*time.Millisecond, "the request waits for the lock on the profile")
		return b.DB.DeleteProfile(t.Context(), tx, id)
	})
	(<-made).requireProblem(422, problem.ProfileUnknown)
	require.Zero(t, postgrestest.Query[int](t, b.Database, `SELECT count(*) FROM import_jobs`))
}

// Profiles are offered and not applied.
func TestProfileOffers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, _ := b.createColumnMappingImport(t) // Vorname?, Surname, Kind of member, Shoe size
	offers := func() []fields {
		return decode[[]fields](b.sendJSON(t, "GET", id, "profile-offers", nil), http.StatusOK)
	}
	require.Empty(t, offers())
	named := func(name string, headers ...string) string {
		return b.createProfile(t, fields{"importType": "MEMBERSHIP", "name": name, "headers": headers, "mapping": fields{}})
	}
	named("Little", "Surname", "Mail", "Phone")
	some := named("Some", "surname", "KIND OF MEMBER", "Mail", "Phone")
	most := named("Most", "Surname", "Kind of member", "Shoe size")
	b.createProfile(t, shopProfile(fields{"headers": []string{"Vorname?", "Surname", "Kind of member", "Shoe size"}}))
	want := []fields{{"id": most, "name": "Most", "score": 0.8571}, {"id": some, "name": "Some", "score": 0.5}}
	require.Equal(t, want, offers())
	document := decode[fields](b.do(t, get("/api/imports/"+id+"?includeMappings=true")), http.StatusOK)
	require.Len(t, document["profileOffers"], 2)
	require.Nil(t, document["profile"])
}

// TestConcurrentProfilesRespectLimit: profiles that are created at the same time count each other.
func TestConcurrentProfilesRespectLimit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const most = 200
	create := func(i int) int {
		return b.callProfiles(t, "POST", "", "", shopProfile(fields{"name": fmt.Sprintf("Shop %d", i), "headers": []string{"Mail", fmt.Sprintf("Full name %d", i)}, "mapping": fields{}})).Code
	}
	for i := range most - 2 {
		require.Equal(t, http.StatusCreated, create(i))
	}
	var group sync.WaitGroup
	for i := range 6 {
		group.Go(func() { create(most + i) })
	}
	group.Wait()
	require.Equal(t, most, postgrestest.Query[int](t, b.Database, `SELECT count(*) FROM import_profiles`))
}
