package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// faultyProxy is a proxy between the command line and the API.
func faultyProxy(t *testing.T, stack *stacktest.Stack, do func(w http.ResponseWriter, r *http.Request, pass http.Handler)) string {
	t.Helper()
	api, err := url.Parse("http://" + stack.API)
	require.NoError(t, err)
	pass := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(api) }} // sends the API's own host name
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { do(w, r, pass) }))
	t.Cleanup(server.Close)
	return server.URL
}

// TestBrokenNetwork simulates network problems between the command line and the API.
func TestBrokenNetwork(t *testing.T) {
	t.Parallel()
	stack := stacktest.Start(t)
	s := newShell(t, stack)
	s.mustRun(t, "context", "add", "local", "http://"+stack.API)
	t.Run("first response of every request is lost", s.testLostResponses)
	t.Run("upload is killed", s.testKilledUpload)
	t.Run("token expires during an import", s.testTokenExpiry)
	t.Run("progress matches the server", s.testProgress)
}

// testLostResponses lets the API process every request, and drops the connection instead of
// the first response to each. Nothing is done twice.
func (s *shell) testLostResponses(t *testing.T) {
	var mu sync.Mutex
	asked := make(map[string]int)
	through := faultyProxy(t, s.stack, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		mu.Lock()
		asked[r.Method+" "+r.URL.Path]++
		first := asked[r.Method+" "+r.URL.Path] == 1
		mu.Unlock()
		if !first {
			pass.ServeHTTP(w, r)
			return
		}
		pass.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	})
	s.writeFile(t, "lost.csv", "email,name\nlot@example.org,Lot\n")
	e := s.run(t, "", "import", "lost.csv", "--type", "USER", "--yes", "--label", "lost", "--url", through)
	require.Zero(t, e.code, e.err)
	require.Contains(t, e.out, "completed\t1\t0\t0\t0\t0\n")
	require.GreaterOrEqual(t, asked["POST /api/imports"], 2)
	require.Equal(t, "1\n", s.mustRun(t, "imports", "list", "--jq", `map(select(.originalFilename == "lost.csv")) | length`))
}

// testKilledUpload kills the command when all parts of its file have been uploaded but not
// confirmed to the API, and resumes in another process.
func (s *shell) testKilledUpload(t *testing.T) {
	reached, released := make(chan struct{}), make(chan struct{})
	defer close(released)
	through := faultyProxy(t, s.stack, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		if strings.HasSuffix(r.URL.Path, "/upload/complete") {
			close(reached)
			<-released
			panic(http.ErrAbortHandler)
		}
		pass.ServeHTTP(w, r)
	})
	file := writeLargeFile("Kim")
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "killed.csv"), file, 0o600))
	c := s.command(t, "import", "killed.csv", "--type", "USER", "--yes", "--url", through)
	require.NoError(t, c.Start())
	<-reached
	require.NoError(t, c.Process.Kill())
	require.Error(t, c.Wait())
	id := strings.TrimSpace(s.mustRun(t, "imports", "list", "--jq", `.[] | select(.originalFilename == "killed.csv") | .identifier`))
	require.Equal(t, "UPLOADED\n", s.mustRun(t, "imports", "show", id, "--jq", ".status"))
	resumed := s.run(t, "", "imports", "resume", id, "killed.csv")
	require.Zero(t, resumed.code, resumed.err)
	require.Contains(t, resumed.out, fmt.Sprintf("completed\t%d\t", bytes.Count(file, []byte("\n"))-1))
}

// testTokenExpiry lets a token expire while an import is watched: the import continues, and the
// command reports what to do.
func (s *shell) testTokenExpiry(t *testing.T) {
	polls := 0
	through := faultyProxy(t, s.stack, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		if r.Method == http.MethodGet {
			polls++
		}
		if polls < 2 {
			pass.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json") // as in responses of API Gateway's authorizer
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"message":"The incoming token has expired"}`))
	})
	e := s.run(t, "", "imports", "watch", s.startPendingImport(t), "--url", through)
	require.Equal(t, 1, e.code)
	require.Contains(t, e.err, "token has expired")
	require.Contains(t, e.err, "loadbay login")
}

// progressPattern matches a line of the row progress bar.
var progressPattern = regexp.MustCompile(`[━┄]+ +(\d+) %  (\d+) of (\d+) rows`)

// testProgress compares each progress line in the terminal with the states of the import that
// the server returned: each line must match one of them.
func (s *shell) testProgress(t *testing.T) {
	const rows = 30_000
	var mu sync.Mutex
	seen := map[string]bool{}
	through := faultyProxy(t, s.stack, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		answer := httptest.NewRecorder()
		pass.ServeHTTP(answer, r)
		var state struct{ ProcessedRows, TotalRows int64 }
		if r.Method == http.MethodGet && json.Unmarshal(answer.Body.Bytes(), &state) == nil {
			mu.Lock()
			seen[fmt.Sprintf("%d of %d", state.ProcessedRows, state.TotalRows)] = true
			mu.Unlock()
		}
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
	var file bytes.Buffer
	file.WriteString("email,name\n")
	for i := range rows {
		fmt.Fprintf(&file, "p%d@example.org,P %d\n", i, i)
	}
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "progress.csv"), file.Bytes(), 0o600))
	term := s.startTerminal(t, "import", "progress.csv", "--type", "USER", "--yes", "--url", through)
	require.Zero(t, term.wait(t), term.text())
	shown := progressPattern.FindAllStringSubmatch(term.text(), -1)
	require.NotEmpty(t, shown)
	last := int64(0)
	for _, line := range shown {
		percent, done, total := parseCount(t, line[1]), parseCount(t, line[2]), parseCount(t, line[3])
		require.True(t, seen[fmt.Sprintf("%d of %d", done, total)], line[0])
		require.Equal(t, done*100/total, percent, line[0])
		require.GreaterOrEqual(t, done, last, "progress never decreases")
		last = done
	}
	require.Equal(t, int64(rows), last)
}

func parseCount(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	require.NoError(t, err)
	return n
}
