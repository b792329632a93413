package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

func TestDownloadOriginalFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	announced := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	b.do(t, get("/api/imports/"+announced+"/source")).requireProblem(409, problem.UploadMissing)

	body, kind := form(t, part{"importType", "", "USER"}, part{"file", "Größen.csv", users})
	id := decode[fields](b.do(t, request{method: "POST", path: "/api/imports", body: body, contentType: kind}), http.StatusCreated)["identifier"].(string)
	path := "/api/imports/" + id + "/source"
	a := b.do(t, get(path))
	require.Equal(t, a.Header().Get("Location"), decode[fields](a, http.StatusFound)["url"])
	response := b.do(t, request{method: "GET", path: "/api/imports/" + id + "/source?redirect=false"})
	require.Equal(t, a.Header().Get("Location"), decode[fields](response, http.StatusOK)["url"], "without a redirect, the response contains the same URL")
	require.Contains(t, a.Header().Get("Location"), "uploads/1/"+id+"/source")
	require.Contains(t, a.Header().Get("Location"), "utf-8", "the download has the original filename")

	b.Exec(t, `UPDATE import_jobs SET object_etag = '"e0"' WHERE uuid = $1`, id)
	b.do(t, get(path)).requireProblem(410, problem.Gone)
	b.Exec(t, `UPDATE import_jobs SET object_etag = '' WHERE uuid = $1`, id)
	delete(b.objects.stored, "uploads/1/"+id+"/source")
	b.do(t, get(path)).requireProblem(410, problem.Gone)
}
