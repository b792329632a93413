package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

// A polling client receives only changes, and a recommended polling interval.
func TestPollingWithETag(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	for _, path := range []string{"/api/imports/" + id, "/api/imports?active=true"} {
		first := b.do(t, request{method: "GET", path: path})
		require.Equal(t, http.StatusOK, first.Code)
		tag := first.Header().Get("ETag")
		require.Regexp(t, `^"[0-9a-f]{32}-en"$`, tag)
		for _, known := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} {
			again := b.do(t, request{method: "GET", path: path, headers: map[string]string{"If-None-Match": known}})
			require.Equal(t, http.StatusNotModified, again.Code, known)
			require.Zero(t, again.Body.Len())
			require.Equal(t, tag, again.Header().Get("ETag"))
		}
		require.Equal(t, http.StatusOK, b.do(t, request{method: "GET", path: path, headers: map[string]string{"If-None-Match": `"other"`}}).Code)

		b.do(t, request{method: "DELETE", path: "/api/imports/" + id})
		changed := b.do(t, request{method: "GET", path: path, headers: map[string]string{"If-None-Match": tag}})
		require.Equal(t, http.StatusOK, changed.Code)
		require.NotEqual(t, tag, changed.Header().Get("ETag"))
		id = decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	}
}

// An unchanged page has another ETag if the total number of entries has changed.
func TestETagCoversTotalCount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	older := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	newer := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	ask := func(tag string) apiResponse {
		return b.do(t, request{method: "GET", path: "/api/imports?active=true&size=1", headers: map[string]string{"If-None-Match": tag}})
	}
	first := ask("")
	require.Equal(t, newer, decode[[]fields](first, http.StatusOK)[0]["identifier"])
	require.Equal(t, "2", first.Header().Get("X-Total-Count"))
	require.Equal(t, http.StatusNotModified, ask(first.Header().Get("ETag")).Code)
	b.do(t, request{method: "DELETE", path: "/api/imports/" + older})
	again := ask(first.Header().Get("ETag"))
	require.Equal(t, newer, decode[[]fields](again, http.StatusOK)[0]["identifier"])
	require.Equal(t, "1", again.Header().Get("X-Total-Count"))
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	b := setup(t)
	announced := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)
	path := "/api/imports/" + announced["identifier"].(string)
	require.Equal(t, "1", b.do(t, request{method: "GET", path: path}).Header().Get("Retry-After"), "a small file is expected within a second")
	require.Equal(t, "RECEIVING", announced["phase"])
	b.Exec(t, `UPDATE import_jobs SET created_at = now() - interval '1 minute'`)
	require.Equal(t, "15", b.do(t, request{method: "GET", path: path}).Header().Get("Retry-After"), "an overdue file is polled less often")

	b.Exec(t, `UPDATE import_jobs SET created_at = now(), uploaded_at = now()`)
	require.Equal(t, "1", b.do(t, request{method: "GET", path: path}).Header().Get("Retry-After"))
	b.Exec(t, `UPDATE import_jobs SET created_at = now() - interval '1 minute'`)
	require.Equal(t, "2", b.do(t, request{method: "GET", path: path}).Header().Get("Retry-After"))

	b.Exec(t, `UPDATE import_jobs SET status = 'PROCESSING', started_at = now() - interval '10 seconds', updated_at = now(), split_complete = true,
		chunk_total = 2, chunks_done = 1, total_rows = 500, created_count = 100`)
	going := decode[fields](b.do(t, request{method: "GET", path: path}), http.StatusOK)
	require.Equal(t, "WRITING", going["phase"])
	require.InDelta(t, 10, going["rowsPerSecond"], 0.1)
	require.InDelta(t, 40, going["etaSeconds"], 1)

	b.do(t, request{method: "DELETE", path: path})
	ended := b.do(t, request{method: "GET", path: path})
	require.Empty(t, ended.Header().Get("Retry-After"))
	require.Equal(t, "ENDED", decode[fields](ended, http.StatusOK)["phase"])
}

func TestActiveImportsFilter(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ended := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	active := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	b.do(t, request{method: "DELETE", path: "/api/imports/" + ended})
	for query, want := range map[string][]string{
		"active=true": {active}, "active=false": {ended}, "status=CANCELLED,UPLOADED": {active, ended}, "status=UPLOADED": {active}, "status=FAILED,COMPLETED": nil,
	} {
		var found []string
		for _, j := range decode[[]fields](b.do(t, request{method: "GET", path: "/api/imports?" + query}), http.StatusOK) {
			found = append(found, j["identifier"].(string))
		}
		require.Equal(t, want, found, query)
	}
	b.do(t, request{method: "GET", path: "/api/imports?status=FAILED,GONE"}).requireProblem(400, problem.ParameterInvalid)
	b.do(t, request{method: "GET", path: "/api/imports?status=FAILED&active=true"}).requireProblem(400, problem.ParameterInvalid)
}
