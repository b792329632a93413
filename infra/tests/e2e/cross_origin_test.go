package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// Pages of a configured origin can do what the deployed CORS rules allow: call the API, and
// upload a file to the URL that it returns.
func TestCrossOriginPages(t *testing.T) {
	t.Parallel()
	const page = "http://localhost:5173"
	r := start(t, "CORS_ORIGINS=https://app.example,"+page)
	ask := func(origin, method, address, headers string) http.Header {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, address, nil)
		require.NoError(t, err)
		request.Header = http.Header{"Origin": {origin}, "Access-Control-Request-Method": {method}, "Access-Control-Request-Headers": {headers}}
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusNoContent, response.StatusCode)
		return response.Header
	}
	rules := blueprint.APICORS()
	header := ask(page, "PATCH", "http://"+r.API+"/api/imports/1/rows", "authorization,if-match")
	require.Equal(t, page, header.Get("Access-Control-Allow-Origin"))
	require.Equal(t, strings.Join(rules.Methods, ","), header.Get("Access-Control-Allow-Methods"))
	require.Equal(t, strings.Join(rules.Headers, ","), header.Get("Access-Control-Allow-Headers"))
	require.Empty(t, ask("https://other.example", "GET", "http://"+r.API+"/api/imports", "").Get("Access-Control-Allow-Origin"))

	const file = "Name,Email\nAda,a@x.org\n"
	j, err := r.Upload(t.Context(), rawclient.CreateRequest{ImportType: "USER", Filename: "users.csv", SizeBytes: int64(len(file))}, strings.NewReader(file))
	require.NoError(t, err)
	header = ask(page, "PUT", j.Upload.URL, "if-none-match,x-amz-meta-loadbay")
	require.Equal(t, page, header.Get("Access-Control-Allow-Origin"))
	require.Equal(t, "if-none-match,x-amz-meta-loadbay", header.Get("Access-Control-Allow-Headers"))

	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("http://%s/api/imports/%s", r.API, j.Identifier), nil)
	require.NoError(t, err)
	request.Header.Set("Origin", page)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, page, response.Header.Get("Access-Control-Allow-Origin"))
	require.Equal(t, strings.Join(rules.ExposedHeaders, ","), response.Header.Get("Access-Control-Expose-Headers"))
	require.NotEmpty(t, response.Header.Get("ETag"))
}
