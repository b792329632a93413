package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// Every kind of address of a purged import responds with 410.
func TestPurgedImportIsGone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := decode[fields](b.importRoster(t, nil), http.StatusAccepted)["identifier"].(string)
	b.setStatus(t, id, job.Cancelled)
	require.Equal(t, http.StatusOK, b.do(t, get("/api/imports/"+id)).Code)
	b.inTx(t, func(tx pgx.Tx) error { return b.DB.DeleteJob(t.Context(), tx, b.job(t, 1, id).Key) })

	calls := []request{
		get("/api/imports/" + id), get("/api/imports/" + id + "?includeMappings=true"), get("/api/imports/" + id + "/results"),
		get("/api/memberships/import/" + id), get("/v1/imports/" + id),
		{method: "PUT", path: "/api/imports/" + id + "/cell-mappings", body: "[]"}, {method: "POST", path: "/api/imports/" + id + "/start"},
		{method: "POST", path: "/api/imports/" + id + "/column-mappings/confirm"}, {method: "DELETE", path: "/api/imports/" + id},
	}
	for _, c := range calls {
		b.do(t, c).requireProblem(http.StatusGone, problem.Gone)
		c.claims = map[string]string{"organisation_id": "2"}
		b.do(t, c).requireProblem(http.StatusNotFound, problem.NotFound)
	}
	b.do(t, get("/api/imports/01890000-0000-7000-8000-000000000000")).requireProblem(http.StatusNotFound, problem.NotFound)

	// The record of a purged import is temporary.
	b.Exec(t, `UPDATE purged_jobs SET purged_at = now() - interval '91 days'`)
	b.inTx(t, func(tx pgx.Tx) error { return b.DB.DeleteJob(t.Context(), tx, 0) })
	b.do(t, get("/api/imports/"+id)).requireProblem(http.StatusNotFound, problem.NotFound)
}
