package httpapi_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/httpapi"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// unsignedURLs returns addresses without a signature.
type unsignedURLs struct{}

func (unsignedURLs) Sign(_ context.Context, query url.Values) (string, error) {
	return "https://stream.example/?" + query.Encode(), nil
}

// serveStream serves the stream without a signature check, which other tests cover.
func serveStream(t *testing.T, users int) (get func(query url.Values) *http.Response, d *postgrestest.Database, log *logBuffer) {
	t.Helper()
	d, log = postgrestest.Setup(t), &logBuffer{}
	d.Exec(t, `INSERT INTO users (organisation_id, email, name) SELECT 1, n || '@x.org', repeat('x', 190) FROM generate_series(1, $1::int) AS n`, users)
	d.Exec(t, `INSERT INTO users (organisation_id, email, name) VALUES (2, 'foreign@x.org', 'Foreign')`)
	h, err := httpapi.NewStream(d.DB, catalog.New(), httpapi.StreamLimits{Quotas: quotas(), Lifetime: time.Hour}, telemetry.NewLogger(log, slog.LevelInfo))
	require.NoError(t, err)
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return func(query url.Values) *http.Response {
		answer, err := http.Get(server.URL + "/?" + query.Encode())
		require.NoError(t, err)
		t.Cleanup(func() { _ = answer.Body.Close() })
		return answer
	}, d, log
}

func signedQuery(changes ...string) url.Values {
	query := url.Values{
		"organisation": {"1"}, "request_id": {"mine"}, "until": {fmt.Sprint(time.Now().Add(time.Minute).Unix())}, "resource": {"users"}, "fields": {"email,name"},
		"X-Amz-Signature": {"as AWS may pass it on"},
	}
	for i := 0; i < len(changes); i += 2 {
		query.Set(changes[i], changes[i+1])
	}
	return query
}

func TestStreamReturnsWholeFile(t *testing.T) {
	t.Parallel()
	const users = 60_000 // exceeds the buffer
	get, _, log := serveStream(t, users)
	answer := get(signedQuery())
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.Equal(t, fmt.Sprint(users), answer.Header.Get("X-Total-Count"))
	require.Equal(t, `attachment; filename="users.csv"`, answer.Header.Get("Content-Disposition"))
	require.Equal(t, "mine", answer.Header.Get("X-Request-ID"))
	require.Equal(t, users+1, strings.Count(string(body), "\r\n"))
	require.NotContains(t, string(body), "foreign")
	for _, format := range []string{"ndjson", "xlsx"} {
		small := get(signedQuery("format", format, "filters", `{"email":"7@x.org"}`))
		require.Equal(t, http.StatusOK, small.StatusCode)
		require.Equal(t, "1", small.Header.Get("X-Total-Count"))
	}
	for _, line := range log.lines(t) {
		require.NotContains(t, fmt.Sprint(line), "xxx")
	}
}

func TestFailedStreamIsAborted(t *testing.T) {
	t.Parallel()
	get, d, log := serveStream(t, 200_000) // 40 MB: exceeds the buffers of the connection
	answer := get(signedQuery())
	require.Equal(t, http.StatusOK, answer.StatusCode)
	d.Exec(t, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'loadbay_app' AND state <> 'idle' AND datname = current_database()`)
	n, err := io.Copy(io.Discard, answer.Body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Positive(t, n)
	require.Eventually(t, func() bool {
		for _, line := range log.lines(t) {
			if line["msg"] == "stream interrupted" {
				return true
			}
		}
		return false
	}, 2*time.Minute, 5*time.Millisecond)
}

func TestOversizedStreamIsRejected(t *testing.T) {
	t.Parallel()
	get, d, _ := serveStream(t, 1)
	d.Exec(t, `INSERT INTO articles (organisation_id, slug, title, body, author_id)
		SELECT 1, 'a' || n, 'x', repeat('x', 3000), id FROM users, generate_series(1, 70000) AS n WHERE organisation_id = 1`)
	answer := get(signedQuery("resource", "articles", "fields", ""))
	require.Equal(t, http.StatusRequestEntityTooLarge, answer.StatusCode)
}

func TestStreamNeedsTicket(t *testing.T) {
	t.Parallel()
	get, _, _ := serveStream(t, 1)
	for name, query := range map[string]url.Values{
		"none":                                {"resource": {"users"}},
		"ticket without an organisation":      signedQuery("organisation", "0"),
		"ticket with an invalid organisation": signedQuery("organisation", "x"),
		"expired ticket":                      signedQuery("until", fmt.Sprint(time.Now().Add(-time.Second).Unix())),
		"ticket without an expiry":            signedQuery("until", ""),
	} {
		require.Equal(t, http.StatusUnauthorized, get(query).StatusCode, name)
	}
	require.Equal(t, http.StatusBadRequest, get(signedQuery("resource", "nothing")).StatusCode)
	foreign := get(signedQuery("organisation", "2", "fields", "email"))
	body, err := io.ReadAll(foreign.Body)
	require.NoError(t, err)
	require.Equal(t, "email\r\nforeign@x.org\r\n", string(body))
}

// Two slow readers use all slots of their organisation. Readers of another organisation are not
// affected, and a slot is free again once its reader disconnects.
func TestStreamSlotsPerOrganisation(t *testing.T) {
	t.Parallel()
	get, d, _ := serveStream(t, 200_000) // 40 MB: exceeds the buffers of the connection
	first, second := get(signedQuery()), get(signedQuery())
	require.Equal(t, []int{http.StatusOK, http.StatusOK}, []int{first.StatusCode, second.StatusCode})

	third := get(signedQuery())
	require.Equal(t, http.StatusTooManyRequests, third.StatusCode)
	require.Equal(t, "application/problem+json", third.Header.Get("Content-Type"))
	require.Equal(t, "30", third.Header.Get("Retry-After"))
	body, err := io.ReadAll(third.Body)
	require.NoError(t, err)
	require.Contains(t, string(body), "QUOTA_STREAMS")
	require.Contains(t, string(body), "2 of 2 are used")

	foreign := get(signedQuery("organisation", "2", "fields", "email"))
	require.Equal(t, http.StatusOK, foreign.StatusCode)

	require.NoError(t, first.Body.Close())
	require.Eventually(t, func() bool {
		return postgrestest.Query[int](t, d, `SELECT count(*) FROM stream_slots WHERE organisation_id = 1`) == 1
	}, 2*time.Minute, 5*time.Millisecond)
	require.Equal(t, http.StatusOK, get(signedQuery("filters", `{"email":"7@x.org"}`)).StatusCode)
}

// A slot that was not released, for example after a crash, expires.
func TestLostStreamSlotExpires(t *testing.T) {
	t.Parallel()
	get, d, _ := serveStream(t, 1)
	const lost = `INSERT INTO stream_slots (id, organisation_id, expires_at) SELECT gen_random_uuid(), 1, now() + $1::interval FROM generate_series(1, 2)`
	d.Exec(t, lost, "1 hour")
	require.Equal(t, http.StatusTooManyRequests, get(signedQuery()).StatusCode)
	d.Exec(t, `UPDATE stream_slots SET expires_at = now()`)
	require.Equal(t, http.StatusOK, get(signedQuery()).StatusCode)
}

// A stream ends after its lifetime, however slowly it is read.
func TestStreamLifetime(t *testing.T) {
	t.Parallel()
	d, log := postgrestest.Setup(t), &logBuffer{}
	d.Exec(t, `INSERT INTO users (organisation_id, email, name) SELECT 1, n || '@x.org', repeat('x', 190) FROM generate_series(1, 200000) AS n`)
	h, err := httpapi.NewStream(d.DB, catalog.New(), httpapi.StreamLimits{Quotas: quotas(), Lifetime: time.Second}, telemetry.NewLogger(log, slog.LevelInfo))
	require.NoError(t, err)
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	answer, err := http.Get(server.URL + "/?" + signedQuery().Encode())
	require.NoError(t, err)
	defer answer.Body.Close()
	piece := make([]byte, 100_000)
	require.Eventually(t, func() bool {
		_, err := io.ReadFull(answer.Body, piece) // 400 of them take four seconds
		return err != nil
	}, 2*time.Minute, 10*time.Millisecond)
	require.Zero(t, postgrestest.Query[int](t, d, `SELECT count(*) FROM stream_slots`))
}

// A reader that pauses between two reads does not lose its transaction to the idle timeout: streams
// have their own limits.
func TestSlowReaderKeepsTransaction(t *testing.T) {
	t.Parallel()
	const users = 200_000 // 40 MB: exceeds the buffers of the connection
	get, d, _ := serveStream(t, users)
	name := postgrestest.Query[string](t, d, `SELECT current_database()::text`)
	d.Exec(t, `ALTER ROLE loadbay_app IN DATABASE `+name+` SET idle_in_transaction_session_timeout = '500ms'`)
	answer := get(signedQuery())
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.Eventually(t, func() bool {
		return postgrestest.Query[bool](t, d, `
			SELECT count(*) = 0 FROM pg_stat_activity
			WHERE usename = 'loadbay_app' AND datname = current_database() AND xact_start IS NOT NULL
			  AND (state <> 'idle in transaction' OR now() - state_change < interval '700 milliseconds')`)
	}, 2*time.Minute, 5*time.Millisecond)
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, users+1, strings.Count(string(body), "\r\n"))
}
