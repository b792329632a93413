package inputs

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/shared/notify/outbound/fetch"
	"github.com/loadbay/loadbay/shared/problem"
)

func fetchCases() []promise {
	return []promise{
		{"remote URL to metadata, loopback, private, decimal or IPv4-mapped addresses, by redirect or rebinding too: 422/failed URL_FORBIDDEN", map[string]testCase{
			"metadata":            forbiddenAddress("http://169.254.169.254/latest/meta-data/"),
			"metadata by IPv6":    forbiddenAddress("http://[fd00:ec2::254]/latest/meta-data/"),
			"metadata of tasks":   forbiddenAddress("http://169.254.170.2/v2/credentials"),
			"loopback":            forbiddenAddress("http://127.0.0.1:4566/"),
			"loopback by IPv6":    forbiddenAddress("http://[::1]/"),
			"private 10":          forbiddenAddress("https://10.0.0.1/a.csv"),
			"private 172":         forbiddenAddress("https://172.16.31.1/a.csv"),
			"private 192":         forbiddenAddress("https://192.168.1.1/a.csv"),
			"nowhere":             forbiddenAddress("http://0.0.0.0/a.csv"),
			"decimal":             forbiddenAddress("http://2130706433/a.csv"),
			"decimal, metadata":   forbiddenAddress("http://2852039166/latest/meta-data/"),
			"hexadecimal":         forbiddenAddress("http://0x7f000001/a.csv"),
			"octal":               forbiddenAddress("http://0177.0.0.1/a.csv"),
			"short":               forbiddenAddress("http://127.1/a.csv"),
			"with a dot at end":   forbiddenAddress("http://127.0.0.1./a.csv"),
			"IPv4-mapped":         forbiddenAddress("http://[::ffff:127.0.0.1]/a.csv"),
			"IPv4-mapped, hex":    forbiddenAddress("http://[::ffff:a9fe:a9fe]/a.csv"),
			"IPv4 by NAT64":       forbiddenAddress("http://[64:ff9b::7f00:1]/a.csv"),
			"a user before it":    forbiddenAddress("http://files.example@127.0.0.1/a.csv"),
			"without a host":      forbiddenAddress("http:///a.csv"),
			"another port":        forbiddenAddress("http://files.example:4566/a.csv"),
			"a name that rebinds": reboundName,
			"by redirect":         redirectResponse,
		}},
		{"other schemes URL_SCHEME", map[string]testCase{
			"file": rejectsAddress("file:///etc/passwd", "URL_SCHEME"), "ftp": rejectsAddress("ftp://files.example/a.csv", "URL_SCHEME"),
			"gopher": rejectsAddress("gopher://127.0.0.1:6379/_INFO", "URL_SCHEME"), "data": rejectsAddress("data:text/csv,a", "URL_SCHEME"),
			"none": rejectsAddress("//files.example/a.csv", "URL_SCHEME"), "s3": rejectsAddress("s3://loadbay-files/uploads/2/x", "URL_SCHEME"),
		}},
		{"endless body FILE_TOO_LARGE", map[string]testCase{"without a length": endlessResponse}},
		{"stalled FETCH_TIMEOUT", map[string]testCase{"in the middle": stalledResponse}},
	}
}

func forbiddenAddress(address string) testCase { return rejectsAddress(address, "URL_FORBIDDEN") }

func remoteFile(t *testing.T, address string) request {
	t.Helper()
	body, err := json.Marshal(map[string]string{"resource_type": "users", "url": address})
	require.NoError(t, err)
	return request{method: "POST", path: "/v1/imports", contentType: "application/json", body: strings.NewReader(string(body))}
}

func rejectsAddress(address, code string) testCase {
	return func(t *testing.T, w *harness) { w.requireRefused(t, remoteFile(t, address), 422, code) }
}

// reboundName is a name that is rebound to another address: the address at the time of the
// connection counts, and not an earlier one.
func reboundName(t *testing.T, w *harness) {
	a := w.send(t, remoteFile(t, "http://localhost/openapi.yaml"))
	require.Equal(t, http.StatusAccepted, a.status, "%s", a.body)
	var j struct {
		JobID string `json:"job_id"`
	}
	require.NoError(t, json.Unmarshal(a.body, &j))
	ended := w.awaitJob(t, j.JobID, (*rawclient.Job).Ended)
	w.requireFailed(t, ended, "URL_FORBIDDEN", "not in a public network")
	_, err := w.bucket.get(t.Context(), "uploads/1/"+j.JobID+"/source")
	require.Error(t, err, "no object is stored")
}

// The stack fetches from public addresses only, which no test has. The following tests use
// the same client as the stack, configured with this machine as its only public
// address.

// requireFetchFails returns the error of fetching from the handler.
func requireFetchFails(t *testing.T, change func(*fetch.Config), serve http.HandlerFunc) error {
	t.Helper()
	server := httptest.NewServer(serve)
	t.Cleanup(server.Close)
	limits := fetch.DefaultConfig()
	limits.AnyPort = true
	limits.Allows = func(a netip.Addr) bool { return a == netip.MustParseAddr("127.0.0.1") }
	if change != nil {
		change(&limits)
	}
	c, err := fetch.New(limits)
	require.NoError(t, err)
	_, err = c.Copy(t.Context(), server.URL+"/a.csv", io.Discard)
	requireSentence(t, problem.From(err).Message)
	t.Logf("%s: %s", problem.CodeOf(err), problem.From(err).Message)
	return err
}

func redirectResponse(t *testing.T, _ *harness) {
	for _, target := range []string{"http://169.254.169.254/", "http://10.0.0.1/", "http://[::1]/", "http://[::ffff:10.0.0.1]/", "http://2852039166/", "//127.0.0.2/"} {
		err := requireFetchFails(t, nil, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target, http.StatusFound) })
		require.Equal(t, problem.URLForbidden, problem.CodeOf(err), "%s: %v", target, err)
	}
}

func endlessResponse(t *testing.T, _ *harness) {
	err := requireFetchFails(t, func(c *fetch.Config) { c.MaxBytes = 1 << 20 }, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 64<<10)); err != nil {
				return
			}
		}
	})
	require.Equal(t, problem.FileTooLarge, problem.CodeOf(err), "%v", err)
}

func stalledResponse(t *testing.T, _ *harness) {
	err := requireFetchFails(t, func(c *fetch.Config) { c.StallTimeout = 50 * time.Millisecond }, func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("email,name\n"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	require.Equal(t, problem.FetchTimeout, problem.CodeOf(err), "%v", err)
}
