package httpapi_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// setQuota sets a quota of organisation 1.
func (b *bundle) setQuota(t *testing.T, column string, most int64) {
	t.Helper()
	b.Exec(t, fmt.Sprintf(`UPDATE organisations SET %s = %d WHERE id = 1`, column, most))
}

// requireQuotaExceeded checks that the response rejects the request because of a quota and reports
// the usage of the quota.
func (a apiResponse) requireQuotaExceeded(code problem.Code, field, used string) {
	a.t.Helper()
	p := a.requireProblem(http.StatusTooManyRequests, code)
	require.Equal(a.t, "application/problem+json", a.Header().Get("Content-Type"))
	after, err := strconv.Atoi(a.Header().Get("Retry-After"))
	require.NoError(a.t, err)
	require.Positive(a.t, after)
	fault := p["errors"].([]any)[0].(fields)
	require.Equal(a.t, field, fault["field"])
	require.Contains(a.t, fault["message"], used)
}

// importRequests returns all requests that create an import.
func (b *bundle) importRequests(t *testing.T) map[string]request {
	t.Helper()
	sent := func(method, path string, parts ...part) request {
		body, kind := form(t, parts...)
		return request{method: method, path: path, body: body, contentType: kind}
	}
	document := func(path, body string) request {
		return request{method: "POST", path: path, body: body, contentType: "application/json"}
	}
	return map[string]request{
		"a form":           sent("POST", "/api/imports", part{"importType", "", "USER"}, part{"file", "users.csv", users}),
		"an announcement":  document("/api/imports", `{"importType":"USER","filename":"users.csv","sizeBytes":10}`),
		"a façade":         sent("PUT", "/api/memberships/import?periodId=11", part{"file", "roster.csv", roster}),
		"orders":           sent("POST", "/api/orders/bulk-uploads", part{"file", "orders.csv", orders}),
		"bulk":             sent("POST", "/v1/imports", part{"file", "users.csv", users}, part{"resource_type", "", "users"}),
		"bulk, by address": document("/v1/imports", `{"resource_type":"users","url":"https://files.example/users.csv"}`),
	}
}

func TestImportQuotaOfEveryEndpoint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.setQuota(t, "max_open_imports", 1)
	first := decode[fields](b.announceUsers(t, key("first"), nil), http.StatusCreated)
	for name, r := range b.importRequests(t) {
		t.Run(name, func(t *testing.T) {
			r.headers = key("refused")
			b.do(t, r).requireQuotaExceeded(problem.QuotaOpenImports, "openImports", "1 of 1 are used")
		})
	}
	require.Empty(t, b.objects.stored, "the file of a refused import is not stored")
	require.Equal(t, http.StatusOK, b.announceUsers(t, key("first"), nil).Code, "a repeated request does not use the quota")
	foreign := b.importRequests(t)["a form"]
	foreign.claims = map[string]string{"organisation_id": "2"}
	require.Equal(t, http.StatusCreated, b.do(t, foreign).Code, "other organisations are not affected")

	b.do(t, request{method: "DELETE", path: "/api/imports/" + first["identifier"].(string)})
	require.Equal(t, http.StatusCreated, b.announceUsers(t, key("refused"), nil).Code, "the key of a refused request can be reused")
}

func TestByteQuotaOfEveryEndpoint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.setQuota(t, "max_announced_bytes", 1000)
	require.Equal(t, http.StatusCreated, b.announceUsers(t, nil, fields{"sizeBytes": 995}).Code)
	for name, r := range b.importRequests(t) {
		t.Run(name, func(t *testing.T) {
			b.do(t, r).requireQuotaExceeded(problem.QuotaAnnouncedBytes, "announcedBytes", "995 of 1000 are used")
		})
	}
	require.Equal(t, http.StatusCreated, b.announceUsers(t, nil, fields{"sizeBytes": 5}).Code, "the quota can be used to the last byte")
}

// Files are kept for a week after the end of their imports, and count: up to ten times the quota of
// unfinished imports. Files that never arrived, and retries, count for their records alone.
func TestFilesOfEndedImportsCount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const quotaBytes, records = 1_000_000, 4096
	b.setQuota(t, "max_announced_bytes", quotaBytes)
	announce := func(size int) apiResponse { return b.announceUsers(t, nil, fields{"sizeBytes": size}) }
	end := func() {
		b.Exec(t, `UPDATE import_jobs SET status = 'COMPLETED', completed_at = now(), uploaded_at = now() WHERE completed_at IS NULL`)
	}
	for range 10 {
		require.Equal(t, http.StatusCreated, announce(quotaBytes-records).Code)
		end()
	}
	announce(1).requireQuotaExceeded(problem.QuotaAnnouncedBytes, "announcedBytes", "10000000 of 10000000 are used")
	for _, freed := range []string{"uploaded_at = NULL", "files_purged = true", "created_at = now() - interval '8 days'", "rerun = true, retry_of = uuid"} {
		b.Exec(t, `UPDATE import_jobs SET `+freed+` WHERE id = (SELECT min(id) FROM import_jobs WHERE uploaded_at IS NOT NULL AND NOT files_purged AND NOT rerun AND created_at > now() - interval '7 days')`)
		require.Equal(t, http.StatusCreated, announce(quotaBytes-2*records).Code, freed)
		end()
		announce(records).requireQuotaExceeded(problem.QuotaAnnouncedBytes, "announcedBytes", " of 10000000 are used")
	}
}

// Imports of tiny files count for their records and mapping documents, which the number of requests
// alone would not limit.
func TestRecordsAndMappingsCount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.setQuota(t, "max_announced_bytes", 10_000)
	mapping := map[string]any{"fields": []any{map[string]any{"field": "EMAIL", "from": []any{"Email"}}}, "ignore": []any{}}
	long := map[string]any{"fields": mapping["fields"], "ignore": []any{}}
	for n := range 200 { // of different texts, which hardly compress
		long["ignore"] = append(long["ignore"].([]any), fmt.Sprintf("%x", sha256.Sum256([]byte{byte(n)})))
	}
	const fits = 10 * 10_000 / (4096 + 1)
	accepted := func(document any) (n int) {
		b.Exec(t, `UPDATE import_jobs SET created_at = created_at - interval '8 days'`)
		for n < 2*fits {
			r := b.announceUsers(t, nil, fields{"sizeBytes": 1, "mapping": document})
			if r.Code != http.StatusCreated {
				r.requireQuotaExceeded(problem.QuotaAnnouncedBytes, "announcedBytes", " of 100000 are used")
				return n
			}
			n++
		}
		return n
	}
	few := accepted(mapping)
	require.InDelta(t, fits, few, 1)
	require.Less(t, accepted(long), few/2)
}

// A file that has yet to be fetched is counted with the maximum size.
func TestUnknownSizeCountsAsMaximum(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.setQuota(t, "max_announced_bytes", 500<<20)
	require.Equal(t, http.StatusAccepted, b.do(t, b.importRequests(t)["bulk, by address"]).Code)
	b.announceUsers(t, nil, fields{"sizeBytes": 1}).requireQuotaExceeded(problem.QuotaAnnouncedBytes, "announcedBytes", "524288000 of 524288000")
}

// 150 concurrent announcements of 500 MB, as one caller has sent them: exactly as many are accepted
// as fit into the quota.
func TestConcurrentRequestsStayWithinQuota(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const callers, file = 150, 500_000_000
	b.setQuota(t, "max_announced_bytes", 40*file)
	codes := make([]int, callers)
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() { codes[i] = b.announceUsers(t, nil, fields{"sizeBytes": file}).Code })
	}
	all.Wait()
	count := map[int]int{}
	for _, code := range codes {
		count[code]++
	}
	require.Equal(t, map[int]int{http.StatusCreated: 40, http.StatusTooManyRequests: 110}, count)
	require.Equal(t, int64(40*file), postgrestest.Query[int64](t, b.Database, `SELECT sum(size_bytes)::bigint FROM import_jobs`))
}

func TestExportQuota(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.setQuota(t, "max_open_exports", 3)
	const body = `{"resource_type":"users"}`
	require.Equal(t, http.StatusAccepted, b.createExport(t, "first", body).Code)
	const callers = 12
	codes := make([]int, callers)
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() { codes[i] = b.createExport(t, "", body).Code })
	}
	all.Wait()
	count := map[int]int{}
	for _, code := range codes {
		count[code]++
	}
	require.Equal(t, map[int]int{http.StatusAccepted: 2, http.StatusTooManyRequests: 10}, count)
	b.createExport(t, "", body).requireQuotaExceeded(problem.QuotaOpenExports, "openExports", "3 of 3 are used")
	require.Equal(t, http.StatusOK, b.createExport(t, "first", body).Code, "a repeated request does not use the quota")
	require.Len(t, b.exports.queued, 3)
}

// The files of exports are kept for 7 days, so ended exports have a bound as well: ten times the quota
// of announced bytes.
func TestExportsOfAWeekAreBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.setQuota(t, "max_announced_bytes", 1000)
	const body = `{"resource_type":"users"}`
	require.Equal(t, http.StatusAccepted, b.createExport(t, "", body).Code)
	b.Exec(t, `UPDATE export_jobs SET status = 'completed', completed_at = now(), size_bytes = 9999`)
	require.Equal(t, http.StatusAccepted, b.createExport(t, "second", body).Code)
	b.Exec(t, `UPDATE export_jobs SET status = 'completed', completed_at = now(), size_bytes = 1 WHERE size_bytes = 0`)
	b.createExport(t, "", body).requireQuotaExceeded(problem.QuotaAnnouncedBytes, "announcedBytes", "10000 of 10000 are used")
	require.Equal(t, http.StatusOK, b.createExport(t, "second", body).Code, "a repeated request does not use the quota")
	b.Exec(t, `DELETE FROM export_jobs WHERE size_bytes = 9999`)
	require.Equal(t, http.StatusAccepted, b.createExport(t, "", body).Code)
}

// Eleven requests fall into at most two minutes, so at least one exceeds a quota of five.
func TestRequestQuota(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.setQuota(t, "max_requests_per_minute", 5)
	served := 0
	for range 11 {
		a := b.do(t, get("/api/import-types"))
		if a.Code == http.StatusOK {
			served++
			continue
		}
		a.requireQuotaExceeded(problem.QuotaRequests, "requestsPerMinute", "5 of 5 are used")
		after, err := strconv.Atoi(a.Header().Get("Retry-After"))
		require.NoError(t, err)
		require.LessOrEqual(t, after, 60)
	}
	require.GreaterOrEqual(t, served, 5)
	require.Less(t, served, 11)
	other := get("/api/import-types")
	other.claims = map[string]string{"organisation_id": "2"}
	require.Equal(t, http.StatusOK, b.do(t, other).Code)
	require.Equal(t, http.StatusOK, b.do(t, request{method: "GET", path: "/health", anonymous: true}).Code)
}

// An organisation that does not exist in the database has the default quotas.
func TestUnknownOrganisationHasDefaultQuotas(t *testing.T) {
	t.Parallel()
	b := setup(t)
	unknown := get("/api/quotas")
	unknown.claims = map[string]string{"organisation_id": "77"}
	require.Equal(t, fields{"limit": 100.0, "used": 0.0}, decode[fields](b.do(t, unknown), http.StatusOK)["openImports"])
}

func TestGetQuotas(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.setQuota(t, "max_open_imports", 7)
	require.Equal(t, http.StatusCreated, b.announceUsers(t, nil, fields{"sizeBytes": 995}).Code)
	require.Equal(t, http.StatusAccepted, b.createExport(t, "", `{"resource_type":"users"}`).Code)
	ended := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	b.do(t, request{method: "DELETE", path: "/api/imports/" + ended})
	uses := decode[fields](b.do(t, get("/api/quotas")), http.StatusOK)
	requests := uses["requestsPerMinute"].(fields)
	require.InEpsilon(t, 100_000, requests["limit"], 0)
	delete(uses, "requestsPerMinute")
	require.Equal(t, fields{
		"openImports": fields{"limit": 7.0, "used": 1.0}, "announcedBytes": fields{"limit": float64(20 << 30), "used": 995.0},
		"openExports": fields{"limit": 20.0, "used": 1.0}, "streams": fields{"limit": 2.0, "used": 0.0},
	}, uses)
	require.True(t, strings.HasPrefix(fmt.Sprint(requests["used"]), "50") || requests["used"] == 0.0, "a twentieth of the quota is used, or none in a new minute: %v", requests["used"])
}
