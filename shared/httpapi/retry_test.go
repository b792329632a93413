package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// Both forms of the request link the retry to the import.
func TestRetryOfLinksImports(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	retry := fields{"retryOf": first}
	require.Equal(t, "retryOf", b.announceUsers(t, nil, retry).requireProblem(409, problem.StateConflict)["errors"].([]any)[0].(fields)["field"])

	b.setStatus(t, first, job.Cancelled)
	again := decode[fields](b.announceUsers(t, nil, retry), http.StatusCreated)
	require.Equal(t, first, again["retryOf"])
	require.EqualValues(t, first, b.job(t, 1, again["identifier"].(string)).RetryOf)

	body, contentType := form(t, part{"file", "users.csv", users}, part{name: "importType", content: "USER"}, part{name: "retryOf", content: first})
	sent := b.do(t, request{method: "POST", path: "/api/imports", body: body, contentType: contentType})
	require.Equal(t, first, decode[fields](sent, http.StatusCreated)["retryOf"])
}

func TestInvalidRetryOf(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	b.setStatus(t, first, job.Cancelled)
	for _, unknown := range []string{"01a1f9e7-1bde-7bf8-ac8c-500f93581dd4", "nonsense"} {
		b.announceUsers(t, nil, fields{"retryOf": unknown}).requireProblem(404, problem.NotFound)
	}
	b.announceUsers(t, nil, fields{"retryOf": first, "importType": "ARTICLE"}).requireProblem(400, problem.ParameterInvalid)
	body, contentType := form(t, part{"file", "users.csv", users}, part{name: "importType", content: "USER"}, part{name: "retryOf", content: first})
	b.do(t, request{method: "POST", path: "/api/imports", body: body, contentType: contentType,
		claims: map[string]string{"organisation_id": "2"}}).requireProblem(404, problem.NotFound)
}

// A retry of another import with the same key is not treated as a repeated request.
func TestIdempotencyKeyCoversRetryOf(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	b.setStatus(t, first, job.Cancelled)
	key := map[string]string{"Idempotency-Key": "k"}
	require.Equal(t, http.StatusCreated, b.announceUsers(t, key, fields{"retryOf": first}).Code)
	require.Equal(t, http.StatusOK, b.announceUsers(t, key, fields{"retryOf": first}).Code)
	b.announceUsers(t, key, nil).requireProblem(422, problem.IdempotencyMismatch)
}
