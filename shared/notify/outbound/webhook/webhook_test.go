package webhook_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/notify/outbound"
	"github.com/loadbay/loadbay/shared/notify/outbound/webhook"
	"github.com/loadbay/loadbay/shared/problem"
)

// received is a request as received by a server.
type received struct {
	header http.Header
	body   string
}

// receiver starts a server that records requests and responds with a status.
func receiver(t *testing.T, status int) (address string, got chan received) {
	t.Helper()
	got = make(chan received, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got <- received{r.Header, string(body)}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	return server.URL, got
}

// local allows test servers.
func local() webhook.Config {
	return webhook.Config{Timeout: 10 * time.Second, Policy: outbound.Policy{Allows: netip.Addr.IsLoopback, Schemes: []string{"http"}, AnyPort: true}}
}

func sender(t *testing.T, c webhook.Config) *webhook.Sender {
	t.Helper()
	s, err := webhook.NewSender(c)
	require.NoError(t, err)
	return s
}

// verify verifies a signature as a receiver should, without using the package.
func verify(t *testing.T, r received, secret string) bool {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	require.NoError(t, err)
	mac := hmac.New(sha256.New, key)
	_, _ = io.WriteString(mac, r.header.Get("webhook-id")+"."+r.header.Get("webhook-timestamp")+"."+r.body)
	for signature := range strings.FieldsSeq(r.header.Get("webhook-signature")) {
		version, code, _ := strings.Cut(signature, ",")
		if given, err := base64.StdEncoding.DecodeString(code); version == "v1" && err == nil && hmac.Equal(given, mac.Sum(nil)) {
			return true
		}
	}
	return false
}

func TestMessageIsSignedWithEverySecret(t *testing.T) {
	t.Parallel()
	address, got := receiver(t, http.StatusNoContent)
	current, previous := webhook.NewSecret(), webhook.NewSecret()
	require.NotEqual(t, current, previous)
	status, err := sender(t, local()).Send(t.Context(), webhook.Message{URL: address, Secrets: []string{current, previous}, ID: "e1", Body: `{"a":1}`})
	require.NoError(t, err)
	require.Equal(t, http.StatusNoContent, status)
	r := <-got
	require.Equal(t, `{"a":1}`, r.body)
	require.Equal(t, "application/json", r.header.Get("Content-Type"))
	require.Equal(t, "e1", r.header.Get("webhook-id"))
	at, err := strconv.ParseInt(r.header.Get("webhook-timestamp"), 10, 64)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), time.Unix(at, 0), time.Minute)
	require.True(t, verify(t, r, current))
	require.True(t, verify(t, r, previous))
	require.False(t, verify(t, r, webhook.NewSecret()))
	r.body = `{"a":2}`
	require.False(t, verify(t, r, current))
}

func TestSendReturnsStatus(t *testing.T) {
	t.Parallel()
	for _, want := range []int{200, 299, 302, 307, 404, 410, 429, 500, 503} {
		address, got := receiver(t, want)
		status, err := sender(t, local()).Send(t.Context(), webhook.Message{URL: address, Secrets: []string{webhook.NewSecret()}, ID: "e", Body: "{}"})
		require.NoError(t, err)
		require.Equal(t, want, status)
		require.Len(t, got, 1, "a redirect is not followed")
	}
}

func TestForbiddenAddresses(t *testing.T) {
	t.Parallel()
	address, got := receiver(t, http.StatusOK)
	port := address[strings.LastIndex(address, ":"):]
	guarded := webhook.DefaultConfig()
	guarded.AnyPort = true // only the host is refused
	plain := guarded
	plain.Schemes = append(plain.Schemes, "http")
	for target, c := range map[string]struct {
		config webhook.Config
		code   problem.Code
	}{
		address: {guarded, problem.URLScheme},
		"https://127.0.0.1" + port + "/?t=secret": {guarded, problem.URLForbidden},
		"https://localhost" + port + "/?t=secret": {guarded, problem.URLForbidden},
		"http://localhost" + port + "/?t=secret":  {plain, problem.URLForbidden},
		"https://169.254.169.254/?t=secret":       {guarded, problem.URLForbidden},
		"https://[fd00:ec2::254]/?t=secret":       {guarded, problem.URLForbidden},
	} {
		_, err := sender(t, c.config).Send(t.Context(), webhook.Message{URL: target, Secrets: []string{webhook.NewSecret()}, ID: "e", Body: "{}"})
		require.Equal(t, c.code, problem.CodeOf(err), "%s: %v", target, err)
		require.NotContains(t, err.Error(), "secret")
	}
	require.Empty(t, got)
}

func TestUnresponsiveServer(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-stop }))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(stop) })
	c := local()
	c.Timeout = 50 * time.Millisecond
	m := webhook.Message{URL: server.URL + "/?t=secret", Secrets: []string{webhook.NewSecret()}, ID: "e", Body: "{}"}
	_, err := sender(t, c).Send(t.Context(), m)
	require.Equal(t, problem.FetchTimeout, problem.CodeOf(err), "%v", err)
	require.NotContains(t, err.Error(), "secret")

	m.URL = "http://127.0.0.1:1/?t=secret" // closed port
	_, err = sender(t, local()).Send(t.Context(), m)
	require.Equal(t, problem.FetchFailed, problem.CodeOf(err), "%v", err)
	require.NotContains(t, err.Error(), "secret")

	ended, end := context.WithCancel(t.Context())
	end()
	_, err = sender(t, local()).Send(ended, m)
	require.Error(t, err)
}

// Only the first bytes of an endless response are read.
func TestEndlessResponseIsTruncated(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 1<<10)); err != nil {
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	status, err := sender(t, local()).Send(t.Context(), webhook.Message{URL: server.URL, Secrets: []string{webhook.NewSecret()}, ID: "e", Body: "{}"})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status)
}

func TestBody(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 13, 0, 0, 0, time.FixedZone("CET", 3600))
	body, err := webhook.Body("import.completed", at, map[string]int{"n": 1})
	require.NoError(t, err)
	require.JSONEq(t, `{"type":"import.completed","timestamp":"2026-11-20T12:00:00Z","data":{"n":1}}`, body)
	_, err = webhook.Body("x", at, json.RawMessage("no JSON"))
	require.Error(t, err)
}

func TestSenderRequiresTimeout(t *testing.T) {
	t.Parallel()
	for _, spoil := range []func(*webhook.Config){
		func(c *webhook.Config) { c.Timeout = 0 }, func(c *webhook.Config) { c.Allows = nil }, func(c *webhook.Config) { c.Schemes = nil },
	} {
		c := webhook.DefaultConfig()
		spoil(&c)
		_, err := webhook.NewSender(c)
		require.Error(t, err)
	}
}
