package e2e

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// slowReaders opens streams as slow clients do.
type slowReaders struct {
	*stacktest.Stack
	slowClient *http.Client // with a small receive buffer
}

// newSlowReaders returns readers of a stack with more users, in both organisations, than fit
// into all buffers between a function and its reader.
func newSlowReaders(t *testing.T) *slowReaders {
	t.Helper()
	s := stacktest.Start(t, "STREAM_READER_TIMEOUT=2s")
	stacktest.Query[int64](t, s, `
		WITH made AS (
			INSERT INTO users (organisation_id, email, name)
			SELECT o, 'u' || n || '@x.org', repeat('x', 190) FROM generate_series(1, 2) AS o, generate_series(1, 200000) AS n
			RETURNING 1
		)
		SELECT count(*) FROM made`)
	transport := &http.Transport{DisableKeepAlives: true, ReadBufferSize: 4096, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil {
			err = c.(*net.TCPConn).SetReadBuffer(4096)
		}
		return c, err
	}}
	return &slowReaders{s, &http.Client{Transport: transport}}
}

// open starts to read an organisation's users with that client.
func (r *slowReaders) open(t *testing.T, client *http.Client, organisation string) *http.Response {
	t.Helper()
	text := func(url string) string {
		answer, err := http.Get(url)
		require.NoError(t, err)
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return strings.TrimSpace(string(body))
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+r.API+"/v1/exports?resource=users&fields=email,name", nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+text("http://"+r.API+"/local/token?organisation="+organisation))
	answer, err := client.Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

// TestSlowReadersKeepToTheirQuota: stalled readers only occupy the slots of their own
// organisation, for as long as the reader timeout. More readers come, one after the other,
// than there are instances: each instance is freed although its reader stays connected.
func TestSlowReadersKeepToTheirQuota(t *testing.T) {
	r := newSlowReaders(t)
	for range 5 { // twice five is more than the eight that the blueprint allows
		for range 2 {
			require.Equal(t, http.StatusOK, r.open(t, r.slowClient, "1").StatusCode)
		}
		third := r.open(t, r.slowClient, "1")
		require.Equal(t, http.StatusTooManyRequests, third.StatusCode)
		require.Equal(t, "30", third.Header.Get("Retry-After"))
		var problem struct{ Code string }
		require.NoError(t, json.NewDecoder(third.Body).Decode(&problem))
		require.Equal(t, "QUOTA_STREAMS", problem.Code)

		other := r.open(t, http.DefaultClient, "2")
		require.Equal(t, http.StatusOK, other.StatusCode)
		rows, err := io.Copy(io.Discard, other.Body)
		require.NoError(t, err)
		require.Greater(t, rows, int64(40_000_000))

		r.Await(t, "the slow readers' connections are closed", func() bool {
			return stacktest.Query[int64](t, r.Stack, `SELECT count(*) FROM stream_slots`) == 0
		})
	}
}
