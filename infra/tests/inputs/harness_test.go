package inputs

import (
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/gateway"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// harness is the stack that receives all inputs. It requires a token for every call.
type harness struct {
	*stacktest.Stack
	*rawclient.Client // of organisation 1
	token             string
	issuer            *gateway.Issuer // of the stack
	bucket            bucket
}

func startHarness(t *testing.T) *harness {
	t.Helper()
	s := stacktest.Start(t, "LOCAL_AUTH=required")
	issuer, err := gateway.NewIssuer("http://"+s.API+gateway.OpenIDPath, filepath.Join(s.Dir, "issuer.pem"))
	require.NoError(t, err)
	w := &harness{Stack: s, issuer: issuer, bucket: openBucket(s)}
	w.token = w.tokenFor(t, "organisation=1")
	w.Client = rawclient.New("http://"+s.API, w.token)
	return w
}

// tokenFor requests a token from the local issuer.
func (w *harness) tokenFor(t *testing.T, query string) string {
	t.Helper()
	answer, err := http.Get("http://" + w.API + "/local/token?" + query)
	require.NoError(t, err)
	defer answer.Body.Close()
	token, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return strings.TrimSpace(string(token))
}

// request is a call of the API. Without a token it is sent as organisation 1.
type request struct {
	method, path string
	token        string
	contentType  string
	body         io.Reader
	headers      map[string]string
}

// response is the API's response to it.
type response struct {
	requestID string
	status    int
	header    http.Header
	body      []byte
}

func (w *harness) send(t *testing.T, r request) response {
	t.Helper()
	call, err := http.NewRequestWithContext(t.Context(), r.method, "http://"+w.API+r.path, r.body)
	require.NoError(t, err)
	if r.token == "" {
		r.token = w.token
	}
	id := uuid.NewString()
	call.Header.Set("Authorization", "Bearer "+r.token)
	call.Header.Set("X-Request-ID", id)
	if r.contentType != "" {
		call.Header.Set("Content-Type", r.contentType)
	}
	for name, value := range r.headers {
		call.Header.Set(name, value)
	}
	got, err := http.DefaultClient.Do(call)
	require.NoError(t, err)
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	require.NoError(t, err)
	return response{requestID: id, status: got.StatusCode, header: got.Header, body: body}
}

// requireRefused sends a request and checks that it is rejected with a message for people
// and a code for programs, and that it has not created a job.
func (w *harness) requireRefused(t *testing.T, r request, status int, code string) {
	t.Helper()
	a := w.send(t, r)
	require.Equal(t, status, a.status, "%s", a.body)
	var p struct {
		Title, Detail, Code, RequestID string
		Status                         int
		Errors                         []struct{ Field, Code, Message string }
	}
	require.NoError(t, json.Unmarshal(a.body, &p), "%s", a.body)
	t.Logf("%d %s: %s", a.status, p.Code, p.Detail)
	require.Equal(t, "application/problem+json", a.header.Get("Content-Type"))
	require.Equal(t, code, p.Code, "%s", a.body)
	require.Equal(t, status, p.Status)
	require.Equal(t, a.requestID, p.RequestID)
	require.Regexp(t, `^[A-Z]`, p.Title)
	requireSentence(t, p.Detail)
	for _, e := range p.Errors {
		requireSentence(t, e.Message)
	}
	w.requireNoJobOf(t, a)
}

func (w *harness) requireNoJobOf(t *testing.T, a response) {
	t.Helper()
	require.Zero(t, stacktest.Query[int](t, w.Stack, `SELECT count(*) FROM import_jobs WHERE request_id = $1`, a.requestID), "a job was created")
}

// jargon matches texts that only programmers understand.
var jargon = regexp.MustCompile(`%!|SQLSTATE|nil pointer|unmarshal|Unmarshal|strconv|invalid character|goroutine|EOF|struct|httpapi|<nil>|\*`)

// requireSentence checks that a text is readable for people.
func requireSentence(t *testing.T, text string) {
	t.Helper()
	require.Regexp(t, `^[A-Z0-9].+[.?…]$`, text)
	require.NotRegexp(t, jargon, text)
	if !strings.HasPrefix(text, "One of ") { // followed by all the choices
		require.Less(t, len(text), 300)
	}
}

// createImport sends a file in the request, as most clients do.
func (w *harness) createImport(t *testing.T, fields map[string]string, filename string, file []byte) *rawclient.Job {
	t.Helper()
	var j rawclient.Job
	require.NoError(t, w.PostForm(t.Context(), http.MethodPost, "/api/imports", filename, file, fields, &j))
	return &j
}

// awaitJob waits for a job.
func (w *harness) awaitJob(t *testing.T, id string, reached func(*rawclient.Job) bool) *rawclient.Job {
	t.Helper()
	return stacktest.AwaitJob(t, w.Client, id, reached)
}

// importToEnd imports a file to its end, without questions.
func (w *harness) importToEnd(t *testing.T, importType, filename string, file []byte) *rawclient.Job {
	t.Helper()
	j := w.createImport(t, map[string]string{"importType": importType, "autoStart": "true"}, filename, file)
	return w.awaitJob(t, j.Identifier, (*rawclient.Job).Ended)
}

// requireFailed checks that a job failed with a sentence, and that nothing of it was applied.
func (w *harness) requireFailed(t *testing.T, j *rawclient.Job, code, says string) {
	t.Helper()
	require.Equal(t, "FAILED", j.Status)
	require.NotNil(t, j.Failure)
	t.Logf("FAILED %s: %s", j.Failure.Code, j.Failure.Message)
	require.Equal(t, code, j.Failure.Code, "%s", j.Failure.Message)
	requireSentence(t, j.Failure.Message)
	require.Contains(t, j.Failure.Message, says)
	require.Zero(t, j.SuccessCount)
	require.Zero(t, w.countWritten(t, "users", j))
	require.Zero(t, stacktest.Query[int](t, w.Stack, `SELECT count(*) FROM import_row_results r JOIN import_jobs j ON j.id = r.job_id WHERE j.uuid = $1`, j.Identifier))
}

// countWritten counts the rows that a job has written.
func (w *harness) countWritten(t *testing.T, table string, j *rawclient.Job) int {
	t.Helper()
	return stacktest.Query[int](t, w.Stack, `SELECT count(*) FROM `+table+` e JOIN import_jobs j ON j.id = e.source_job WHERE j.uuid = $1`, j.Identifier)
}

// queryText returns one text from the database.
func queryText(t *testing.T, w *harness, sql string, args ...any) string {
	t.Helper()
	return stacktest.Query[string](t, w.Stack, sql, args...)
}
