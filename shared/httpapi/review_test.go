package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// reviewAndAutoStart returns the review and autoStart members of a response's import.
func reviewAndAutoStart(t *testing.T, a apiResponse) [2]any {
	t.Helper()
	require.Less(t, a.Code, 300, a.Body.String())
	doc := decode[fields](a, a.Code)
	return [2]any{doc["review"], doc["autoStart"]}
}

func TestReviewOption(t *testing.T) {
	t.Parallel()
	b := setup(t)
	announce := func(changes fields) apiResponse { return b.announceUsers(t, nil, changes) }
	require.Equal(t, [2]any{"unsure", false}, reviewAndAutoStart(t, announce(nil)))
	require.Equal(t, [2]any{"always", false}, reviewAndAutoStart(t, announce(fields{"review": "always"})))
	require.Equal(t, [2]any{"never", false}, reviewAndAutoStart(t, announce(fields{"review": "never"})), "without column review, value questions remain")
	require.Equal(t, [2]any{"never", true}, reviewAndAutoStart(t, announce(fields{"autoStart": true})))
	require.Equal(t, [2]any{"never", true}, reviewAndAutoStart(t, announce(fields{"autoStart": true, "review": "never"})))
	announce(fields{"autoStart": true, "review": "unsure"}).requireProblem(400, problem.ParameterInvalid)
	announce(fields{"review": "sometimes"}).requireProblem(400, problem.ParameterInvalid)

	roster := func(query string) apiResponse {
		body, contentType := form(t, part{"file", "roster.csv", "First name\nAda\n"})
		return b.do(t, request{method: "PUT", path: "/api/memberships/import?periodId=11" + query, body: body, contentType: contentType})
	}
	require.Equal(t, [2]any{"never", true}, reviewAndAutoStart(t, roster("")))
	require.Equal(t, [2]any{"unsure", false}, reviewAndAutoStart(t, roster("&review=unsure")))
	roster("&review=sometimes").requireProblem(400, problem.ParameterInvalid)

	v1 := func(review string) *job.Job {
		id := decode[fields](b.createV1(t, nil, part{"resource_type", "", "users"}, part{"review", "", review}, part{"file", "u.csv", "Email\n"}), http.StatusAccepted)["job_id"]
		return b.job(t, 1, id.(string))
	}
	require.Equal(t, job.ReviewAlways, v1("always").Review)
	require.False(t, v1("always").AutoStart)
	require.True(t, v1("never").AutoStart)
}

func TestReviewSetting(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.setSettings(t, `{"review":"always"}`)
	require.Equal(t, [2]any{"always", false}, reviewAndAutoStart(t, b.announceUsers(t, nil, nil)))
	require.Equal(t, [2]any{"unsure", false}, reviewAndAutoStart(t, b.announceUsers(t, nil, fields{"review": "unsure"})))
	require.Equal(t, [2]any{"never", true}, reviewAndAutoStart(t, b.announceUsers(t, nil, fields{"autoStart": true})), "autoStart implies no review")
}

func TestIdempotencyKeyCoversReview(t *testing.T) {
	t.Parallel()
	b := setup(t)
	headers := map[string]string{"Idempotency-Key": "k"}
	require.Equal(t, http.StatusCreated, b.announceUsers(t, headers, fields{"review": "always"}).Code)
	require.Equal(t, http.StatusOK, b.announceUsers(t, headers, fields{"review": "always"}).Code)
	b.announceUsers(t, headers, nil).requireProblem(422, problem.IdempotencyMismatch)
}

func TestColumnContent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	b.inTx(t, func(tx pgx.Tx) error {
		j, err := b.DB.Job(t.Context(), tx, job.ID(id))
		require.NoError(t, err)
		return b.DB.SaveColumnMappings(t.Context(), tx, j, []job.MappedColumn{
			{ColumnIndex: 0, Header: "Kontakt", TargetField: "EMAIL", Status: job.AutoMatched, Confidence: 0.7, MatchedBy: job.ByContent, Content: job.ColumnContent{
				Rows: 3, Filled: 2, Distinct: 500, AtLeast: true, Kind: "email", KindShare: 2.0 / 3, Warnings: []string{"COLUMN_CONTENT"},
				Candidates: []job.ColumnCandidate{{Field: "EMAIL", Score: 0.75, Reason: job.ByContent}},
			}},
			{ColumnIndex: 1, Header: "Old", Status: job.Unresolved},
		})
	})
	b.setStatus(t, id, job.ColumnMapping)
	docs := decode[[]fields](b.sendJSON(t, "GET", id, "column-mappings", nil), http.StatusOK)
	for member, want := range (fields{
		"matchedBy": "content", "fillRate": 0.6667, "distinctCount": 500.0, "distinctAtLeast": true, "kind": "email", "kindShare": 0.6667,
		"warnings": []any{"COLUMN_CONTENT"}, "candidates": []any{fields{"field": "EMAIL", "score": 0.75, "reason": "content"}},
	}) {
		require.Equal(t, want, docs[0][member], member)
	}
	for _, member := range []string{"matchedBy", "fillRate", "distinctCount", "kind", "kindShare"} {
		require.Nil(t, docs[1][member], "the column is not analysed: %s", member)
	}
	docs = decode[[]fields](b.sendJSON(t, "PUT", id, "column-mappings", []fields{
		{"id": docs[0]["id"], "targetField": "NAME"}, {"id": docs[1]["id"], "targetField": "EMAIL"},
	}), http.StatusAccepted)
	require.Equal(t, "person", docs[0]["matchedBy"])
	docs = decode[[]fields](b.sendJSON(t, "GET", id, "column-mappings", nil), http.StatusOK)
	require.Equal(t, "person", docs[1]["matchedBy"])
	require.Equal(t, "email", docs[0]["kind"], "the detected kind is kept")
}

// A waiting caller receives the import with its columns as soon as the import needs a review.
func TestPreferWaitReturnsWhenReviewNeeded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	waiting := make(chan apiResponse, 1)
	body, contentType := form(t, part{"importType", "", "USER"}, part{"file", "u.csv", "Email\na@x.org\n"})
	go func() {
		waiting <- b.send(t, request{method: "POST", path: "/api/imports", body: body, contentType: contentType, headers: map[string]string{"Prefer": "wait=15"}})
	}()
	var id string
	require.Eventually(t, func() bool {
		id = postgrestest.Query[string](t, b.Database, `SELECT coalesce(max(uuid::text), '') FROM import_jobs`)
		return id != ""
	}, 10*time.Second, 10*time.Millisecond)
	b.inTx(t, func(tx pgx.Tx) error {
		j, err := b.DB.Job(t.Context(), tx, job.ID(id))
		require.NoError(t, err)
		return b.DB.SaveColumnMappings(t.Context(), tx, j, []job.MappedColumn{{Header: "Email", TargetField: "EMAIL", Status: job.AutoMatched, Confidence: 1, MatchedBy: job.ByExact}})
	})
	b.setStatus(t, id, job.ColumnMapping)
	a := <-waiting
	b.requireDescribed(t, request{method: "POST", path: "/api/imports"}, a.ResponseRecorder)
	doc := decode[fields](a, http.StatusCreated)
	require.Equal(t, "wait=15", a.Header().Get("Preference-Applied"))
	require.Equal(t, id, doc["identifier"])
	require.Equal(t, "COLUMN_MAPPING", doc["status"])
	require.Equal(t, "exact", doc["columnMappings"].([]any)[0].(fields)["matchedBy"])
	require.NotEmpty(t, doc["freeFields"])
}
