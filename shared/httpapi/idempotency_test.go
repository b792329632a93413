package httpapi_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

func key(k string) map[string]string { return map[string]string{"Idempotency-Key": k} }

func TestRepetitionReturnsSameJob(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := decode[fields](b.importRoster(t, key("k1")), http.StatusAccepted)
	again := b.importRoster(t, key(`"k1"`)) // the same key, quoted; the form has another boundary
	doc := decode[fields](again, http.StatusOK)
	require.Equal(t, first["identifier"], doc["identifier"])
	require.Equal(t, "/api/memberships/import/"+doc["identifier"].(string), again.Header().Get("Location"))
	require.Equal(t, int64(1), postgrestest.Query[int64](t, b.Database, `SELECT count(*) FROM import_jobs`))
	require.Len(t, b.workflow.started, 1)

	other := decode[fields](b.importRoster(t, key("k2")), http.StatusAccepted)
	require.NotEqual(t, first["identifier"], other["identifier"])
}

func TestIdempotencyKeyOfOtherRequest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Equal(t, http.StatusAccepted, b.importRoster(t, key("k")).Code)
	body, contentType := form(t, part{"file", "roster.csv", roster + "Grace,Hopper,grace@example.org,Adult\n"})
	other := request{method: "PUT", path: "/api/memberships/import?periodId=11", body: body, contentType: contentType, headers: key("k")}
	b.do(t, other).requireProblem(422, problem.IdempotencyMismatch)
	b.announceUsers(t, key("k"), nil).requireProblem(422, problem.IdempotencyMismatch)

	// Keys belong to an organisation: another organisation can use the same key.
	foreign := other
	foreign.path, foreign.claims = "/api/memberships/import?periodId=22", map[string]string{"organisation_id": "2"}
	require.Equal(t, http.StatusAccepted, b.do(t, foreign).Code)
}

// Each difference in the request changes the fingerprint.
func TestRequestFingerprint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Equal(t, http.StatusCreated, b.announceUsers(t, key("k"), nil).Code)
	for name, change := range map[string]fields{
		"mode": {"mode": "upsert"}, "options": {"options": fields{"delimiter": ";"}}, "autoStart": {"autoStart": true}, "dryRun": {"dryRun": true},
		"filename": {"filename": "other.csv"}, "contentType": {"contentType": "text/plain"}, "sizeBytes": {"sizeBytes": 32},
		"sha256": {"sha256": strings.Repeat("0", 64)}, "importType": {"importType": "MEMBERSHIP", "contextId": 11},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b.announceUsers(t, key("k"), change).requireProblem(422, problem.IdempotencyMismatch)
		})
	}
	for name, change := range map[string]fields{"default mode": {"mode": "insert"}, "empty options": {"options": fields{}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, http.StatusOK, b.announceUsers(t, key("k"), change).Code, "equivalent requests have the same fingerprint")
		})
	}
}

func TestRepetitionReturnsNewUploadURL(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := decode[fields](b.announceUsers(t, key("k"), nil), http.StatusCreated)
	again := decode[fields](b.announceUsers(t, key("k"), nil), http.StatusOK)
	require.Equal(t, first["identifier"], again["identifier"])
	require.Contains(t, again, "upload")
}

func TestConcurrentRequestsCreateOneJob(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const callers = 8
	codes := make([]int, callers)
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() { codes[i] = b.importRoster(t, key("k")).Code })
	}
	all.Wait()
	require.Equal(t, int64(1), postgrestest.Query[int64](t, b.Database, `SELECT count(*) FROM import_jobs`))
	require.Len(t, b.workflow.started, 1)
	made := 0
	for _, code := range codes {
		require.Contains(t, []int{http.StatusAccepted, http.StatusOK, http.StatusConflict}, code)
		if code == http.StatusAccepted {
			made++
		}
	}
	require.Equal(t, 1, made)
}

// The same bytes are the same request under any file name.
func TestSameBytesAreSameRequest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	upload := func(name, content string) apiResponse {
		body, contentType := form(t, part{"importType", "", "USER"}, part{"file", name, content})
		return b.do(t, request{method: "POST", path: "/api/imports", body: body, contentType: contentType, headers: key("k")})
	}
	first := decode[fields](upload("users.csv", users), http.StatusCreated)
	again := decode[fields](upload("users (1).csv", users), http.StatusOK)
	require.Equal(t, first["identifier"], again["identifier"])
	require.Equal(t, "users.csv", again["originalFilename"])
	upload("users.csv", users+"x").requireProblem(422, problem.IdempotencyMismatch)
}

func TestExportKeysAreSeparate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Equal(t, http.StatusCreated, b.announceUsers(t, key("k"), nil).Code)
	const body = `{"resource_type":"users"}`
	first := decode[fields](b.createExport(t, "k", body), http.StatusAccepted)
	require.Equal(t, first["job_id"], decode[fields](b.createExport(t, "k", body), http.StatusOK)["job_id"])
	require.Equal(t, http.StatusOK, b.announceUsers(t, key("k"), nil).Code)
}

func TestEmptyIdempotencyKeyIsIgnored(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := decode[fields](b.announceUsers(t, key(""), nil), http.StatusCreated)
	require.NotEqual(t, first["identifier"], decode[fields](b.announceUsers(t, key(""), nil), http.StatusCreated)["identifier"])
	require.Equal(t, http.StatusAccepted, b.createExport(t, "", `{"resource_type":"users"}`).Code)
}

// The first export is blocked until the repeated request was rejected as in flight.
func TestRepetitionWaitsForFirstRequest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.keys.inFlight = make(chan struct{}, 1)
	b.exports.hold = make(chan struct{})
	const callers = 8
	codes := make([]int, callers)
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() { codes[i] = b.createExport(t, "k", `{"resource_type":"users"}`).Code })
	}
	<-b.keys.inFlight
	close(b.exports.hold)
	all.Wait()
	slices.Sort(codes)
	require.Equal(t, []int{200, 200, 200, 200, 200, 200, 200, 202}, codes)
	require.Len(t, b.exports.queued, 1)
}

func TestIdempotencyInFlight(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Equal(t, http.StatusAccepted, b.importRoster(t, key("k")).Code)
	require.NoError(t, b.keys.change(1, "k", func(c *keyClaim) { c.done = false }))
	a := b.importRoster(t, key("k"))
	a.requireProblem(409, problem.IdempotencyInFlight)
	require.NotEmpty(t, a.Header().Get("Retry-After"))
}

// A request is interrupted at each of its writes. The repeated request must complete the same job.
func TestInterruptedRequestIsCompleted(t *testing.T) {
	t.Parallel()
	for name, breakIt := range map[string]func(b *bundle, err error){
		"before the object is stored":     func(b *bundle, err error) { b.objects.fail = err },
		"before the execution is started": func(b *bundle, err error) { b.workflow.fail = err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			breakIt(b, errors.New("out of order"))
			p := b.importRoster(t, key("k")).requireProblem(500, problem.Internal)
			require.NotContains(t, p["detail"], "out of order")
			before := postgrestest.Query[int64](t, b.Database, `SELECT count(*) FROM import_jobs`)

			breakIt(b, nil)
			doc := decode[fields](b.importRoster(t, key("k")), http.StatusAccepted)
			require.Equal(t, int64(1), postgrestest.Query[int64](t, b.Database, `SELECT count(*) FROM import_jobs`))
			if before == 1 {
				require.Equal(t, int64(1), postgrestest.Query[int64](t, b.Database, `SELECT count(*) FROM import_jobs WHERE uuid = $1`, doc["identifier"]))
			}
			require.Len(t, b.workflow.started, 1)
		})
	}
}

func TestRejectedRequestReleasesKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.announceUsers(t, key("k"), fields{"importType": "MEMBERSHIP", "contextId": 99}).requireProblem(404, problem.NotFound)
	require.Equal(t, http.StatusCreated, b.announceUsers(t, key("k"), nil).Code)
}

func TestInvalidIdempotencyKeys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, k := range []string{`""`, `"open`, "with space", "tab\there", "ä", strings.Repeat("k", 256), `in"side`} {
		t.Run(k, func(t *testing.T) {
			t.Parallel()
			b.importRoster(t, key(k)).requireProblem(400, problem.IdempotencyKeyInvalid)
		})
	}
}
