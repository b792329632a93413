package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// SendFetch records the jobs with files to fetch.
func (q *exportQueue) SendFetch(_ context.Context, ref job.Ref) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.fetches = append(q.fetches, ref)
	return nil
}

func (b *bundle) importFromURL(t *testing.T, key, body string) apiResponse {
	t.Helper()
	return b.do(t, request{method: "POST", path: "/v1/imports", body: body, contentType: "application/json", headers: map[string]string{"Idempotency-Key": key}})
}

func TestRemoteFileIsFetched(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const body = `{"resource_type":"users","url":"https://files.example/a/users.csv?signature=secret","mode":"upsert"}`
	first := decode[fields](b.importFromURL(t, "k", body), http.StatusAccepted)
	require.Equal(t, "pending", first["status"])
	require.Equal(t, "users.csv", first["original_filename"])
	require.Equal(t, "upsert", first["mode"])
	id := first["job_id"].(string)
	require.Equal(t, id, decode[fields](b.importFromURL(t, "k", body), http.StatusOK)["job_id"])
	require.Equal(t, []job.Ref{{JobID: job.ID(id), OrganisationID: 1}}, b.exports.fetches)
	require.Equal(t, "https://files.example/a/users.csv?signature=secret", postgrestest.Query[string](t, b.Database, `SELECT url FROM import_sources`))
	for _, line := range b.logs.lines(t) {
		require.NotContains(t, fmt.Sprint(line), "signature")
	}
	b.importFromURL(t, "k", `{"resource_type":"users","url":"https://files.example/other.csv","mode":"upsert"}`).
		requireProblem(http.StatusUnprocessableEntity, problem.IdempotencyMismatch)
}

func TestInvalidRemoteURLs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for address, code := range map[string]problem.Code{
		"ftp://files.example/x":           problem.URLScheme,
		"file:///etc/passwd":              problem.URLScheme,
		"http://169.254.169.254/latest":   problem.URLForbidden,
		"http://[::ffff:127.0.0.1]/":      problem.URLForbidden,
		"https://user:pw@files.example/x": problem.URLForbidden,
		"https:///x":                      problem.URLForbidden,
	} {
		a := b.do(t, request{method: "POST", path: "/v1/imports", body: `{"resource_type":"users","url":"` + address + `"}`, contentType: "application/json"})
		a.requireProblem(http.StatusUnprocessableEntity, code)
	}
	require.Empty(t, b.exports.fetches)
}
