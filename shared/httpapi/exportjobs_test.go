package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

func TestExportJobs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	create := func(body string) apiResponse {
		return b.do(t, request{method: "POST", path: "/api/exports", body: body, contentType: "application/json"})
	}
	first := create(`{"importType":"USER","format":"csv","fields":["email"]}`)
	made := decode[fields](first, http.StatusAccepted)
	require.Equal(t, "/api/exports/"+made["identifier"].(string), first.Header().Get("Location"))
	require.Equal(t, "PENDING", made["status"])
	require.Nil(t, made["downloadUrl"])
	require.Len(t, b.exports.queued, 1)
	other := decode[fields](create(`{"importType":"COMMENT","format":"xlsx"}`), http.StatusAccepted)["identifier"].(string)
	legacy := decode[fields](b.createExport(t, "k", `{"resource_type":"users"}`), http.StatusAccepted)["job_id"]

	id := made["identifier"].(string)
	path := "/api/exports/" + id
	b.do(t, get(path+"/download")).requireProblem(409, problem.StillRunning)
	b.inTx(t, func(tx pgx.Tx) error {
		_, err := b.DB.StartExport(t.Context(), tx, job.ExportID(id))
		require.NoError(t, err)
		_, err = b.DB.CompleteExport(t.Context(), tx, job.ExportID(id), 3, 70)
		return err
	})
	done := decode[fields](b.do(t, get(path)), http.StatusOK)
	require.Equal(t, path+"/download", done["downloadUrl"])
	require.InEpsilon(t, 70, done["sizeBytes"], 0)
	require.Equal(t, "CANCELLED", decode[fields](b.do(t, request{method: "POST", path: "/api/exports/" + other + "/cancel"}), http.StatusOK)["status"])
	b.do(t, request{method: "POST", path: path + "/cancel"}).requireProblem(409, problem.StateConflict)

	ids := func(query string) (out []any) {
		for _, e := range decode[[]fields](b.do(t, get("/api/exports?"+query)), http.StatusOK) {
			out = append(out, e["identifier"])
		}
		return out
	}
	require.Equal(t, []any{legacy, other, id}, ids(""), "newest first, from every endpoint")
	require.Equal(t, []any{id}, ids("status=COMPLETED"))
	require.Equal(t, []any{legacy, id}, ids("importType=USER"))
	require.Empty(t, ids("createdTo=2020-01-01"))
	require.Empty(t, decode[[]fields](b.do(t, request{method: "GET", path: "/api/exports", claims: map[string]string{"organisation_id": "2"}}), http.StatusOK))
	for _, query := range []string{"status=completed", "status=DONE", "importType=PLANET", "createdFrom=x"} {
		b.do(t, get("/api/exports?"+query)).requireProblem(400, problem.ParameterInvalid)
	}
	create(`{"importType":"PLANET"}`).requireProblem(400, problem.ImportTypeUnknown)
	create(`{"resource_type":"users"}`).requireProblem(400, problem.BadJSON)
	b.do(t, request{method: "GET", path: "/api/exports", claims: map[string]string{"scope": "imports:read"}}).requireProblem(403, problem.ScopeRequired)
}

// The number of rows of an export is available in advance, only for the own organisation.
func TestExportCount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Exec(t, threeUsers)
	count := func(query string) apiResponse { return b.do(t, get("/api/exports/count?importType=USER"+query)) }
	for query, records := range map[string]float64{"": 2, "&filters=" + url.QueryEscape(`{"role":"editor"}`): 1, "&filters=" + url.QueryEscape(`{"active":true,"role":"user"}`): 0} {
		require.Equal(t, fields{"records": records, "more": false}, decode[fields](count(query), http.StatusOK), query)
	}
	count("&filters="+url.QueryEscape(`{"planet":"Mars"}`)).requireProblem(400, problem.ParameterInvalid)
	count("&format=csv").requireProblem(400, problem.ParameterInvalid)
	b.do(t, get("/api/exports/count?importType=PLANET")).requireProblem(400, problem.ImportTypeUnknown)
	b.do(t, request{method: "GET", path: "/api/exports/count?importType=USER", claims: map[string]string{"scope": "imports:read"}}).requireProblem(403, problem.ScopeRequired)
}

// An unchanged message is sent again to an enabled webhook.
func TestWebhookRedelivery(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const event = "01a1f9e7-1bde-7bf8-ac8c-500f93581dd4"
	path := "/api/webhook/deliveries/" + event + "/redeliver"
	again := request{method: "POST", path: path}
	b.do(t, again).requireProblem(404, problem.NotFound)
	register := request{method: "PUT", path: "/api/webhook", body: `{"url":"https://hooks.example/"}`, contentType: "application/json"}
	require.Equal(t, http.StatusCreated, b.do(t, register).Code)
	b.do(t, again).requireProblem(404, problem.NotFound)
	b.inTx(t, func(tx pgx.Tx) error {
		return b.DB.AddDelivery(t.Context(), tx, 1, &job.Delivery{EventID: event, EventType: "import.completed", Body: "{}"})
	})
	b.do(t, again).requireProblem(409, problem.StateConflict)
	b.inTx(t, func(tx pgx.Tx) error {
		return b.DB.SaveAttempt(t.Context(), tx, event, job.Attempt{Status: job.DeliveryFailed, HTTPStatus: 500, Error: "HTTP_STATUS"})
	})
	require.Empty(t, decode[[]fields](b.do(t, get("/api/webhook/deliveries?status=PENDING")), http.StatusOK))
	require.Len(t, decode[[]fields](b.do(t, get("/api/webhook/deliveries?status=FAILED&createdFrom=2020-01-01")), http.StatusOK), 1)
	require.Empty(t, decode[[]fields](b.do(t, get("/api/webhook/deliveries?createdTo=2020-01-01")), http.StatusOK))
	b.do(t, get("/api/webhook/deliveries?status=LOST")).requireProblem(400, problem.ParameterInvalid)

	stranger := again
	stranger.claims = map[string]string{"organisation_id": "2"}
	b.do(t, stranger).requireProblem(404, problem.NotFound)
	pending := decode[fields](b.do(t, again), http.StatusAccepted)
	require.Equal(t, "PENDING", pending["status"])
	require.InDelta(t, 0, pending["attempts"], 0, "redelivery resets the attempts")
	require.Equal(t, event, pending["eventId"])
	require.Len(t, b.webhooks.queued, 1)
	b.do(t, again).requireProblem(409, problem.StateConflict)
	b.do(t, request{method: "POST", path: strings.Replace(path, event, "x", 1)}).requireProblem(404, problem.NotFound)
	text, err := json.Marshal(pending)
	require.NoError(t, err)
	require.NotContains(t, string(text), "hooks.example")
}
