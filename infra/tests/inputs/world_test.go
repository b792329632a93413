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

// world is the stack that all inputs are sent to. It refuses calls without a token.
type world struct {
	*stacktest.Stack
	*rawclient.Client // of organisation 1
	token             string
	issuer            *gateway.Issuer // the stack's own
	bucket            bucket
}

func start(t *testing.T) *world {
	t.Helper()
	s := stacktest.Start(t, "LOCAL_AUTH=required")
	issuer, err := gateway.NewIssuer("http://"+s.API+gateway.OpenIDPath, filepath.Join(s.Dir, "issuer.pem"))
	require.NoError(t, err)
	w := &world{Stack: s, issuer: issuer, bucket: bucketOf(s)}
	w.token = w.tokenFor(t, "organisation=1")
	w.Client = rawclient.New("http://"+s.API, w.token)
	return w
}

// tokenFor asks the local issuer for a token.
func (w *world) tokenFor(t *testing.T, query string) string {
	t.Helper()
	answer, err := http.Get("http://" + w.API + "/local/token?" + query)
	require.NoError(t, err)
	defer answer.Body.Close()
	token, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return strings.TrimSpace(string(token))
}

// request is a call of the API. Without a token it is organisation 1's.
type request struct {
	method, path string
	token        string
	contentType  string
	body         io.Reader
	headers      map[string]string
}

// answer is what the API says to it.
type answer struct {
	requestID string
	status    int
	header    http.Header
	body      []byte
}

func (w *world) call(t *testing.T, r request) answer {
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
	return answer{requestID: id, status: got.StatusCode, header: got.Header, body: body}
}

// refuse sends a request, expects to be refused in a way that a person and a
// program understand, and looks whether it has left a job behind.
func (w *world) refuse(t *testing.T, r request, status int, code string) {
	t.Helper()
	a := w.call(t, r)
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

func (w *world) requireNoJobOf(t *testing.T, a answer) {
	t.Helper()
	require.Zero(t, stacktest.Query[int](t, w.Stack, `SELECT count(*) FROM import_jobs WHERE request_id = $1`, a.requestID), "a job was made")
}

// jargon is what only a programmer understands.
var jargon = regexp.MustCompile(`%!|SQLSTATE|nil pointer|unmarshal|Unmarshal|strconv|invalid character|goroutine|EOF|struct|httpapi|<nil>|\*`)

// requireSentence wants a text that a person can read.
func requireSentence(t *testing.T, text string) {
	t.Helper()
	require.Regexp(t, `^[A-Z0-9].+[.?…]$`, text)
	require.NotRegexp(t, jargon, text)
	if !strings.HasPrefix(text, "One of ") { // and all the choices
		require.Less(t, len(text), 300)
	}
}

// create sends a file with the request, as most do.
func (w *world) create(t *testing.T, fields map[string]string, filename string, file []byte) *rawclient.Job {
	t.Helper()
	var j rawclient.Job
	require.NoError(t, w.Form(t.Context(), http.MethodPost, "/api/imports", filename, file, fields, &j))
	return &j
}

// until waits for a job.
func (w *world) until(t *testing.T, id string, reached func(*rawclient.Job) bool) *rawclient.Job {
	t.Helper()
	return stacktest.Until(t, w.Client, id, reached)
}

// imported takes a file through to its end, without asking.
func (w *world) imported(t *testing.T, importType, filename string, file []byte) *rawclient.Job {
	t.Helper()
	j := w.create(t, map[string]string{"importType": importType, "autoStart": "true"}, filename, file)
	return w.until(t, j.Identifier, (*rawclient.Job).Ended)
}

// requireFailed wants that a job failed in a sentence, and that nothing of it was applied.
func (w *world) requireFailed(t *testing.T, j *rawclient.Job, code, says string) {
	t.Helper()
	require.Equal(t, "FAILED", j.Status)
	require.NotNil(t, j.Failure)
	t.Logf("FAILED %s: %s", j.Failure.Code, j.Failure.Message)
	require.Equal(t, code, j.Failure.Code, "%s", j.Failure.Message)
	requireSentence(t, j.Failure.Message)
	require.Contains(t, j.Failure.Message, says)
	require.Zero(t, j.SuccessCount)
	require.Zero(t, w.written(t, "users", j))
	require.Zero(t, stacktest.Query[int](t, w.Stack, `SELECT count(*) FROM import_row_results r JOIN import_jobs j ON j.id = r.job_id WHERE j.uuid = $1`, j.Identifier))
}

// written counts the rows that a job has written.
func (w *world) written(t *testing.T, table string, j *rawclient.Job) int {
	t.Helper()
	return stacktest.Query[int](t, w.Stack, `SELECT count(*) FROM `+table+` e JOIN import_jobs j ON j.id = e.source_job WHERE j.uuid = $1`, j.Identifier)
}

// query is one text from the database.
func query(t *testing.T, w *world, sql string, args ...any) string {
	t.Helper()
	return stacktest.Query[string](t, w.Stack, sql, args...)
}
