package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/httpapi"
	"github.com/loadbay/loadbay/shared/imports/cancel"
	"github.com/loadbay/loadbay/shared/imports/correction"
	"github.com/loadbay/loadbay/shared/imports/declaration"
	"github.com/loadbay/loadbay/shared/imports/preview"
	"github.com/loadbay/loadbay/shared/imports/reading"
	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/mapping/concept"
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/organisation/quota"
	"github.com/loadbay/loadbay/shared/organisation/registry"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/profile"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// bundle is the API with a real database and fakes of cloud services. Organisation 1 has the
// membership period 11, organisation 2 the period 22.
type bundle struct {
	*postgrestest.Database
	handler        http.Handler
	operators      http.Handler // for /api/admin
	objects        *fakeObjects
	workflow       *fakeWorkflow
	keys           *keys
	exports        *exportQueue
	logs           *logBuffer
	health         *healthSwitch
	document       routers.Router
	errorWorkbooks *fakeErrorWorkbooks
	webhooks       *webhooks
	waits          *databaseWaits
	cloud          *fakeCloud
	log            *slog.Logger
}

func setup(t *testing.T, changes ...func(*httpapi.Dependencies)) *bundle {
	t.Helper()
	return setupWith(t, httpapi.ClaimNames{}, changes...)
}

// setupWith is setup for tokens with other claim names.
func setupWith(t *testing.T, names httpapi.ClaimNames, changes ...func(*httpapi.Dependencies)) *bundle {
	t.Helper()
	b := &bundle{
		Database:       postgrestest.Setup(t),
		objects:        &fakeObjects{stored: make(map[string]string), sizes: make(map[string]int64)},
		workflow:       &fakeWorkflow{},
		keys:           &keys{claims: make(map[string]*keyClaim)},
		exports:        &exportQueue{},
		logs:           &logBuffer{},
		health:         &healthSwitch{},
		document:       document(t),
		errorWorkbooks: &fakeErrorWorkbooks{},
		webhooks:       &webhooks{},
		waits:          &databaseWaits{since: make(map[job.ID]time.Time)},
		cloud:          &fakeCloud{},
	}
	b.Exec(t, `INSERT INTO membership_periods (id, organisation_id, name, starts_on, ends_on)
		VALUES (11, 1, '2026', '2026-01-01', '2026-12-31'), (22, 2, '2026', '2026-01-01', '2026-12-31')`)
	types := catalog.New().WithDeclared(b.DB)
	log := telemetry.NewLogger(b.logs, slog.LevelDebug)
	b.log = log
	transitions := telemetry.NewTransitions(log, telemetry.NewMetrics(io.Discard))
	accepting, err := submit.New(b.DB, b.objects, b.workflow, b.keys, transitions, submit.Limits{FileBytes: 500 << 20, MultipartAbove: 100 << 20, PartBytes: 16 << 20, UploadLifetime: time.Hour, MailFrom: "loadbay@example.org", Quotas: quotas()}, log)
	require.NoError(t, err)
	exporting, err := submit.NewExports(b.DB, b.exports, b.keys, quotas(), log)
	require.NoError(t, err)
	dependencies := httpapi.Dependencies{
		Exports: exporting, Downloads: b.objects, Drops: b.objects, Streams: unsignedURLs{}, ErrorWorkbooks: b.errorWorkbooks, Webhooks: b.webhooks, Secrets: b.webhooks, WebhookQueue: b.webhooks,
		DB: b.DB, Types: types, Concepts: concept.Vocabulary{}, Imports: accepting.WithFetching(b.exports), Log: log,
		Review:          review.New(b.DB, types, b.workflow, transitions, log),
		Rows:            correction.New(b.DB, files{b.objects}, types, sheet.DefaultLimits()),
		MappingPreviews: preview.New(b.DB, b.objects, types, sheet.DefaultLimits()),
		Readings:        reading.New(b.DB, b.objects, b.workflow, transitions, sheet.DefaultLimits(), log),
		Profiles:        profile.New(b.DB, types, true),
		Declarations:    declaration.New(b.DB, types, log),
		Canceller:       cancel.New(b.DB, b.workflow, transitions, log),
		Auth:            httpapi.Auth{Required: true, Issuer: "https://id.example.org/", ClientID: "console", Scopes: "openid imports:read", Claims: names},
		Quotas:          quotas(), MaxFileBytes: 500 << 20,
		Version: "v1.2.3", DatabaseWaits: b.waits,
		Health: []httpapi.HealthCheck{{Name: "database", Ping: b.DB.Ping, Paused: &httpapi.PausedCheck{LastUsed: b.DB.LastUsed, Memory: &httpapi.HealthRecord{}}}, {Name: "bucket", Ping: b.health.ask}},
	}
	for _, change := range changes {
		change(&dependencies)
	}
	b.handler, err = httpapi.New(dependencies)
	require.NoError(t, err)
	b.operators, err = httpapi.NewOperatorAPI(b.operatorDependencies(registry.New(b.Operator, log)))
	require.NoError(t, err)
	return b
}

// quotas returns the default quotas of organisations.
func quotas() quota.Limits {
	return quota.Limits{OpenImports: 100, AnnouncedBytes: 20 << 30, OpenExports: 20, Streams: 2, RequestsPerMinute: 100_000}
}

var loadDocument = sync.OnceValues(func() (routers.Router, error) {
	text, err := os.ReadFile("openapi.yaml")
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, err
	}
	return legacy.NewRouter(doc)
})

func document(t *testing.T) routers.Router {
	t.Helper()
	r, err := loadDocument()
	require.NoError(t, err, "openapi.yaml")
	return r
}

// request is one call of the API. The caller acts for organisation 1 with all scopes unless
// claims specifies otherwise.
type request struct {
	method, path string
	body         string
	contentType  string
	headers      map[string]string
	claims       map[string]string
	anonymous    bool
}

type apiResponse struct {
	*httptest.ResponseRecorder
	t *testing.T
}

// do sends the request, and validates the response against openapi.yaml.
func (b *bundle) do(t *testing.T, in request) apiResponse {
	t.Helper()
	a := b.send(t, in)
	b.requireDescribed(t, in, a.ResponseRecorder)
	return a
}

// send sends the request.
func (b *bundle) send(t *testing.T, in request) apiResponse {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), in.method, in.path, strings.NewReader(in.body))
	if in.contentType != "" {
		r.Header.Set("Content-Type", in.contentType)
	}
	for name, value := range in.headers {
		r.Header.Set(name, value)
	}
	if !in.anonymous {
		claims := map[string]string{"sub": "tester", "organisation_id": "1", "scope": "imports:read imports:write exports:read exports:write webhooks:read webhooks:write settings:write organisation:write types:read types:write"}
		maps.Copy(claims, in.claims)
		r = r.WithContext(httpapi.WithClaims(r.Context(), claims))
	}
	w := httptest.NewRecorder()
	if strings.HasPrefix(r.URL.Path, "/api/admin/") && r.Method != http.MethodDelete { // the same condition as in blueprint.OperatorRoutes
		b.operators.ServeHTTP(w, r)
	} else {
		b.handler.ServeHTTP(w, r)
	}
	return apiResponse{w, t}
}

// requireDescribed fails the test if openapi.yaml does not allow the response.
func (b *bundle) requireDescribed(t *testing.T, in request, w *httptest.ResponseRecorder) {
	t.Helper()
	require.NotEmpty(t, w.Header().Get("X-Request-ID"))
	if w.Code >= 400 && !strings.HasPrefix(in.path, "/health") { // only the gateway returns errors in another format
		require.Equal(t, "application/problem+json", w.Header().Get("Content-Type"))
	}
	plain, err := http.NewRequest(in.method, in.path, nil)
	require.NoError(t, err)
	route, params, err := b.document.FindRoute(plain)
	if err != nil {
		require.GreaterOrEqual(t, w.Code, 400, "%s %s is not described in the OpenAPI document", in.method, in.path)
		require.Equal(t, "application/problem+json", w.Header().Get("Content-Type"))
		return
	}
	err = openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: plain, PathParams: params, Route: route},
		Status:                 w.Code, Header: w.Header(), Body: io.NopCloser(bytes.NewReader(w.Body.Bytes())),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	})
	require.NoError(t, err, "%s %s answered %d: %s", in.method, in.path, w.Code, w.Body)
	if w.Code < 400 {
		requireOldClientReads(t, plain, w)
	}
}

// decode decodes the response's document after checking its status.
func decode[T any](a apiResponse, status int) T {
	a.t.Helper()
	require.Equal(a.t, status, a.Code, a.Body.String())
	var v T
	require.NoError(a.t, json.Unmarshal(a.Body.Bytes(), &v), a.Body.String())
	return v
}

// fields are the members of a JSON object.
type fields = map[string]any

// requireProblem checks that the response is a problem with the status and code.
func (a apiResponse) requireProblem(status int, code problem.Code) fields {
	a.t.Helper()
	p := decode[fields](a, status)
	require.Equal(a.t, string(code), p["code"], a.Body.String())
	require.InEpsilon(a.t, status, p["status"], 0)
	require.Equal(a.t, a.Header().Get("X-Request-ID"), p["requestId"])
	return p
}

// part is one part of a form; with a filename it is a file.
type part struct{ name, filename, content string }

// form encodes parts as multipart/form-data.
func form(t *testing.T, parts ...part) (body, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		h := make(textproto.MIMEHeader)
		h.Set("Content-Disposition", fmt.Sprintf(`form-data; name="%s"`, p.name))
		if p.filename != "" {
			h.Set("Content-Disposition", fmt.Sprintf(`form-data; name="%s"; filename="%s"`, p.name, p.filename))
			h.Set("Content-Type", "text/csv")
		}
		pw, err := w.CreatePart(h)
		require.NoError(t, err)
		_, err = io.WriteString(pw, p.content)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.String(), w.FormDataContentType()
}

const (
	roster = "First name,Last name,Email,Type\nAda,Lovelace,ada@example.org,Adult\n"
	users  = "email,name\nada@example.org,Ada\n"
)

// importRoster calls the memberships façade.
func (b *bundle) importRoster(t *testing.T, headers map[string]string) apiResponse {
	t.Helper()
	body, contentType := form(t, part{"file", "roster.csv", roster})
	return b.do(t, request{method: "PUT", path: "/api/memberships/import?periodId=11", body: body, contentType: contentType, headers: headers})
}

// announceUsers calls POST /api/imports with a JSON document that has the changes.
func (b *bundle) announceUsers(t *testing.T, headers map[string]string, changes fields) apiResponse {
	t.Helper()
	doc := fields{"importType": "USER", "filename": "users.csv", "contentType": "text/csv", "sizeBytes": len(users)}
	maps.Copy(doc, changes)
	body, err := json.Marshal(doc)
	require.NoError(t, err)
	return b.do(t, request{method: "POST", path: "/api/imports", body: string(body), contentType: "application/json", headers: headers})
}

// job loads a job from the database.
func (b *bundle) job(t *testing.T, organisation tenant.ID, id string) *job.Job {
	t.Helper()
	j, err := b.DB.JobStatus(t.Context(), organisation, job.ID(id))
	require.NoError(t, err)
	return j
}

// inTx runs f in a transaction of organisation 1.
func (b *bundle) inTx(t *testing.T, f func(tx pgx.Tx) error) {
	t.Helper()
	require.NoError(t, b.DB.InOrganisation(t.Context(), 1, f))
}

// fakeObjects is a bucket in memory.
type fakeObjects struct {
	mu     sync.Mutex
	stored map[string]string
	sizes  map[string]int64 // sizes of multipart uploads
	begun  int              // number of multipart uploads; the last one is valid
	sent   []object.Part    // parts of the last upload
	// missing parts prevent the completion of uploads.
	missing int
	fail    error
}

func (o *fakeObjects) PutIfAbsent(_ context.Context, key, _ string, body []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.fail != nil {
		return o.fail
	}
	o.stored[key] = string(body)
	return nil
}

func (o *fakeObjects) Size(_ context.Context, key string) (int64, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if size, ok := o.sizes[key]; ok {
		return size, nil
	}
	body, ok := o.stored[key]
	if !ok {
		return 0, problem.New(problem.UploadMissing, "not there")
	}
	return int64(len(body)), nil
}

// Open returns an object as a source; reading an object that does not exist fails.
func (o *fakeObjects) Open(_ context.Context, v object.Version) sheet.Source {
	o.mu.Lock()
	defer o.mu.Unlock()
	body, ok := o.stored[v.Key]
	if !ok {
		return missingObject{}
	}
	return strings.NewReader(body)
}

// missingObject is an object that does not exist.
type missingObject struct{}

func (missingObject) ReadAt([]byte, int64) (int, error) {
	return 0, problem.New(problem.UploadMissing, "not there")
}
func (missingObject) Size() int64 { return 1 << 20 }

func (o *fakeObjects) Head(ctx context.Context, key string) (object.Info, error) {
	size, err := o.Size(ctx, key)
	return object.Info{Size: size, ETag: `"e1"`}, err
}

func (o *fakeObjects) Copy(_ context.Context, from object.Version, to string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	body, there := o.stored[from.Key]
	if !there {
		return problem.New(problem.UploadMissing, "not there")
	}
	o.stored[to] = body
	return nil
}

func (o *fakeObjects) Delete(_ context.Context, key string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.stored, key)
	return nil
}

func (*fakeObjects) PresignPut(_ context.Context, key, contentType string, size int64, sha256 string, lifetime time.Duration) (object.Upload, error) {
	return object.Upload{
		Method: "PUT", URL: "https://bucket.example/" + key + "?" + url.Values{"sha256": {sha256}}.Encode(),
		Headers: map[string]string{"Content-Type": contentType, "Content-Length": fmt.Sprint(size)},
		Expires: time.Now().Add(lifetime),
	}, nil
}

func (o *fakeObjects) StartMultipart(context.Context, string, string) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.begun++
	return fmt.Sprintf("up/load+%d", o.begun), nil
}

func (o *fakeObjects) UploadedParts(_ context.Context, _, uploadID string) ([]object.Part, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if uploadID != fmt.Sprintf("up/load+%d", o.begun) {
		return nil, problem.New(problem.UploadMissing, "no such upload")
	}
	return o.sent, nil
}

func (o *fakeObjects) PresignParts(_ context.Context, key, uploadID string, sizes []int64, lifetime time.Duration) (object.Parts, error) {
	parts := object.Parts{UploadID: uploadID, Expires: time.Now().Add(lifetime)}
	for i, size := range sizes {
		parts.URLs = append(parts.URLs, fmt.Sprintf("https://bucket.example/%s?part=%d&size=%d", key, i+1, size))
	}
	return parts, nil
}

func (o *fakeObjects) CompleteMultipart(_ context.Context, key, uploadID string, size int64) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if uploadID != fmt.Sprintf("up/load+%d", o.begun) || o.missing > 0 {
		return problem.New(problem.UploadMissing, "not all there")
	}
	o.sizes[key] = size
	return nil
}

// fakeWorkflow records started, stopped and completed executions.
type fakeWorkflow struct {
	mu          sync.Mutex
	started     []job.Ref
	stopped     []job.ID
	completions []taskCompletion
	fail        error
}

// taskCompletion is one completion of a waiting task.
type taskCompletion struct {
	job   job.ID
	phase job.Phase
	next  string
}

func (w *fakeWorkflow) CompleteIfDue(ctx context.Context, jobID job.ID, phase job.Phase, look func(context.Context) (*job.Job, error)) (bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fail != nil {
		return false, w.fail
	}
	j, err := look(ctx)
	if err != nil {
		return false, err
	}
	next, due := callback.Due(j, phase)
	if !due {
		return false, nil
	}
	w.completions = append(w.completions, taskCompletion{jobID, phase, next})
	return true, nil
}

func (w *fakeWorkflow) Start(_ context.Context, ref job.Ref) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fail != nil {
		return w.fail
	}
	w.started = append(w.started, ref)
	return nil
}

func (w *fakeWorkflow) Stop(_ context.Context, jobID job.ID, _ string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = append(w.stopped, jobID)
	return w.fail
}

// keys stores idempotency keys in memory.
type keys struct {
	mu     sync.Mutex
	claims map[string]*keyClaim
	// inFlight receives a value, without blocking, when a request is rejected as in flight.
	inFlight chan struct{}
}

// keyExpires returns the expiry of all keys.
func keyExpires() time.Time { return time.Date(2031, 5, 4, 3, 2, 1, 0, time.UTC) }

type keyClaim struct {
	print, job string
	done, free bool
}

func (k *keys) Claim(_ context.Context, organisation tenant.ID, key, fingerprint, newID string) (job.Claim, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	name := fmt.Sprint(organisation, key)
	c := k.claims[name]
	switch {
	case c == nil:
		k.claims[name] = &keyClaim{print: fingerprint, job: newID}
		return job.Claim{ID: newID, Expires: keyExpires()}, nil
	case c.print != fingerprint:
		return job.Claim{}, problem.New(problem.IdempotencyMismatch, "other request")
	case !c.done && !c.free:
		select {
		case k.inFlight <- struct{}{}:
		default:
		}
		return job.Claim{}, problem.New(problem.IdempotencyInFlight, "in flight")
	}
	c.free = false
	return job.Claim{ID: c.job, Done: c.done, Expires: keyExpires()}, nil
}

func (k *keys) change(organisation tenant.ID, key string, how func(*keyClaim)) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	how(k.claims[fmt.Sprint(organisation, key)])
	return nil
}

func (k *keys) CompleteClaim(_ context.Context, organisation tenant.ID, key string) error {
	return k.change(organisation, key, func(c *keyClaim) { c.done = true })
}

func (k *keys) AbandonClaim(_ context.Context, organisation tenant.ID, key string) error {
	return k.change(organisation, key, func(c *keyClaim) { c.free = true })
}

func (k *keys) ReleaseClaim(_ context.Context, organisation tenant.ID, key string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.claims, fmt.Sprint(organisation, key))
	return nil
}

// logBuffer stores log lines.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logBuffer) lines(t *testing.T) []fields {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	var lines []fields
	for line := range strings.Lines(l.text.String()) {
		var doc fields
		require.NoError(t, json.Unmarshal([]byte(line), &doc))
		lines = append(lines, doc)
	}
	return lines
}

// healthSwitch is a dependency that can be made unavailable.
type healthSwitch struct {
	mu  sync.Mutex
	err error
}

func (h *healthSwitch) ask(context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

func (h *healthSwitch) set(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.err = err
}
