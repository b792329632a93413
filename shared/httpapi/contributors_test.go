package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// A person who has determined what an import writes cannot approve it where somebody else must.
// Others can.
func TestContributorsCannotApprove(t *testing.T) {
	t.Parallel()
	mallory := map[string]string{"sub": "mallory", "scope": "imports:read imports:write imports:approve"}
	for name, c := range map[string]struct {
		status       job.Status // in which mallory sends the request
		method, path string
		body         string
		code         int
	}{
		"takes the upload address":    {job.Uploaded, "GET", "/upload", "", http.StatusOK},
		"decides about columns":       {job.ColumnMapping, "PUT", "/column-mappings", "[]", http.StatusNotAcceptable},
		"replaces the mapping":        {job.ColumnMapping, "PUT", "/mapping", `{"fields":[{"field":"ROLE","constant":"admin"}]}`, http.StatusNotAcceptable},
		"decides about values":        {job.CellMapping, "PUT", "/cell-mappings", "[]", http.StatusAccepted},
		"confirms the values":         {job.CellMapping, "POST", "/cell-mappings/confirm", "", http.StatusAccepted},
		"starts with unknown values":  {job.CellMapping, "POST", "/start", "", http.StatusAccepted},
		"only looks at the mapping":   {job.ColumnMapping, "GET", "/mapping", "", http.StatusOK},
		"is refused with a bad value": {job.CellMapping, "PUT", "/cell-mappings", `[{"id":1,"ignore":true}]`, http.StatusUnprocessableEntity},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			id := decode[fields](b.announceUsers(t, nil, fields{"approval": "other"}), http.StatusCreated)["identifier"].(string)
			if c.status != job.Uploaded {
				b.Exec(t, `UPDATE import_jobs SET uploaded_at = now(), announced = $2, status = $3 WHERE uuid = $1`, id, c.status == job.CellMapping, string(c.status))
			}
			sent := request{method: c.method, path: "/api/imports/" + id + c.path, body: c.body, contentType: "application/json", claims: mallory}
			if c.body == "" {
				sent.contentType = ""
			}
			answer := b.do(t, sent)
			require.Equal(t, c.code, answer.Code, answer.Body.String())
			b.Exec(t, `UPDATE import_jobs SET status = 'CELL_MAPPING' WHERE uuid = $1`, id)
			digest := b.finishPlan(t, id)
			b.do(t, applyPlan(id, digest, planCreator)).requireProblem(403, problem.ApprovalByOther)
			approver := mallory
			if c.method != "GET" && c.code != http.StatusUnprocessableEntity || c.path == "/upload" {
				b.do(t, applyPlan(id, digest, mallory)).requireProblem(403, problem.ApprovalByOther)
				approver = map[string]string{"sub": "bob", "scope": "imports:approve"}
			}
			require.Equal(t, http.StatusAccepted, b.do(t, applyPlan(id, digest, approver)).Code)
		})
	}
}

// Who has created or rotated an API key could have sent what was sent with it.
func TestPeopleBehindKeyCannotApprove(t *testing.T) {
	t.Parallel()
	b := setup(t)
	claims := func(sub string) map[string]string {
		return map[string]string{"sub": sub, "scope": "imports:read imports:write imports:approve settings:write"}
	}
	create := request{method: "POST", path: keysPath, body: `{"name": "nightly", "scopes": ["imports:write"]}`, contentType: "application/json", claims: claims("mallory")}
	made := decode[fields](b.do(t, create), http.StatusCreated)
	rotate := request{method: "POST", path: keysPath + "/" + made["id"].(string) + "/rotate", claims: claims("eve")}
	for range 2 {
		require.Equal(t, http.StatusOK, b.do(t, rotate).Code)
	}
	id := decode[fields](b.announceUsers(t, nil, fields{"approval": "other"}), http.StatusCreated)["identifier"].(string)
	b.Exec(t, `UPDATE import_jobs SET uploader = 'key:nightly', status = 'CELL_MAPPING' WHERE uuid = $1`, id)
	digest := b.finishPlan(t, id)
	b.Exec(t, `UPDATE api_keys SET revoked_at = now(), revoked_by = 'mallory'`)
	for _, sub := range []string{"mallory", "eve", "key:nightly"} {
		b.do(t, applyPlan(id, digest, claims(sub))).requireProblem(403, problem.ApprovalByOther)
	}
	require.Equal(t, http.StatusAccepted, b.do(t, applyPlan(id, digest, claims("bob"))).Code)
}

// The author of the version of a profile has set the mapping of an import that uses it.
func TestAuthorOfProfileHasContributed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	profile := "01a1f9e7-1bde-7bf8-ac8c-500f93581dd4"
	b.Exec(t, `INSERT INTO import_profiles (id, organisation_id, import_type, name, version) VALUES ($1, 1, 'USER', 'p', 2)`, profile)
	b.Exec(t, `INSERT INTO import_profile_versions (profile_id, organisation_id, version, name, auto, headers, mapping, saved_by)
		VALUES ($1, 1, 1, 'p', false, '{}', '{}', 'alice'), ($1, 1, 2, 'p', false, '{}', '{}', 'mallory')`, profile)
	b.Exec(t, `UPDATE import_jobs SET profile_id = $2, profile_name = 'p', profile_version = 2 WHERE uuid = $1`, id, profile)
	require.Equal(t, []string{"mallory", "tester"}, b.contributors(t, id, "alice", "mallory", "tester"))
}

// contributors returns those of the people who have contributed to an import.
func (b *bundle) contributors(t *testing.T, id string, people ...string) (names []string) {
	t.Helper()
	b.inTx(t, func(tx pgx.Tx) error {
		for _, name := range people {
			contributed, err := b.DB.HasContributed(t.Context(), tx, b.job(t, 1, id).Key, name)
			if err != nil {
				return err
			}
			if contributed {
				names = append(names, name)
			}
		}
		return nil
	})
	return names
}

// A retry is made by the person who requests it, from cells that others corrected in a mapping
// that others set. None of them can approve it, nor can who only discarded a correction.
func TestRetryHasContributors(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.createEndedImport(t, "ORDER", "orders.csv", fiveOrders)
	as := func(name string, r request) apiResponse {
		r.claims, r.contentType = map[string]string{"sub": name, "scope": "imports:read imports:write imports:approve"}, "application/json"
		return b.do(t, r)
	}
	path := "/api/imports/" + id
	cells := func(weight string) string { return `{"rows":[{"row":5,"cells":{"TOTAL_WEIGHT":"` + weight + `"}}]}` }
	require.Equal(t, http.StatusOK, as("viewer", request{method: "PATCH", path: path + "/rows?preview=true", body: cells("1")}).Code)
	require.Equal(t, http.StatusOK, as("mallory", request{method: "PATCH", path: path + "/rows", body: cells("2")}).Code)
	require.Equal(t, http.StatusOK, as("rita", request{method: "PATCH", path: path + "/rows",
		body: `{"where":{"field":"TOTAL_WEIGHT","code":"CELL_NUMBER"},"transform":[{"op":"replace","old":" kg","new":""}]}`}).Code)
	require.Equal(t, http.StatusNoContent, as("dan", request{method: "DELETE", path: path + "/rows/corrections?row=2"}).Code)
	b.setSettings(t, `{"approval":"other","guards":{"created":"0","updated":"0"}}`)
	retry := decode[fields](as("alice", request{method: "POST", path: path + "/retry", body: `{}`}), http.StatusAccepted)
	require.Equal(t, "alice", retry["uploader"])
	people := []string{"alice", "bob", "dan", "mallory", "rita", "tester", "viewer"}
	require.Equal(t, []string{"alice", "dan", "mallory", "rita", "tester"}, b.contributors(t, retry["identifier"].(string), people...))
	require.Equal(t, []string{"dan", "mallory", "rita", "tester"}, b.contributors(t, id, people...), "alice has not changed the original import")
}

// The number of people who contribute is limited. Those who have may continue.
func TestContributorsAreBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	b.Exec(t, `UPDATE import_jobs SET contributors = (SELECT array_agg('person ' || n) FROM generate_series(1, 200) AS n) WHERE uuid = $1`, id)
	upload := func(name string) apiResponse {
		return b.do(t, request{method: "GET", path: "/api/imports/" + id + "/upload", claims: map[string]string{"sub": name}})
	}
	upload("mallory").requireProblem(409, problem.StateConflict)
	require.Equal(t, http.StatusOK, upload("person 7").Code)
	require.Equal(t, http.StatusOK, upload("tester").Code)
}
