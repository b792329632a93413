package gateway_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/gateway"
)

// The headers of a proxy are believed only at the public host, and only what the proxy itself added.
func TestForwardedHeaders(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		host, forwarded             string
		ip, scheme, port, addresses string
	}{
		"direct":                  {host: "127.0.0.1:8080", ip: "127.0.0.1", scheme: "http", port: "8080", addresses: "127.0.0.1"},
		"direct, with a claim":    {host: "127.0.0.1:8080", forwarded: "203.0.113.7", ip: "127.0.0.1", scheme: "http", port: "8080", addresses: "203.0.113.7, 127.0.0.1"},
		"proxy":                   {host: "loadbay.example.org", forwarded: "203.0.113.7", ip: "203.0.113.7", scheme: "https", port: "443", addresses: "203.0.113.7"},
		"proxy, with a claim":     {host: "Loadbay.example.org", forwarded: "10.0.0.1, 203.0.113.7", ip: "203.0.113.7", scheme: "https", port: "443", addresses: "10.0.0.1, 203.0.113.7"},
		"proxy without addresses": {host: "loadbay.example.org", ip: "127.0.0.1", scheme: "https", port: "443", addresses: "127.0.0.1"},
		"proxy with nonsense":     {host: "loadbay.example.org", forwarded: "unknown", ip: "127.0.0.1", scheme: "https", port: "443", addresses: "unknown"},
		"another host":            {host: "loadbay.example.com", forwarded: "203.0.113.7", ip: "127.0.0.1", scheme: "http", addresses: "203.0.113.7, 127.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var event events.APIGatewayV2HTTPRequest
			b := setup(t, func(_ context.Context, _ string, payload []byte) ([]byte, string, error) {
				return []byte(`{"statusCode":200}`), "", json.Unmarshal(payload, &event)
			}, func(c *gateway.Config) { c.PublicHost = "loadbay.example.org" })
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+"/api/imports", http.NoBody)
			require.NoError(t, err)
			r.Host = test.host
			r.Header.Set("X-Forwarded-Proto", "gopher")
			if test.forwarded != "" {
				r.Header.Set("X-Forwarded-For", test.forwarded)
			}
			response, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			require.Equal(t, test.ip, event.RequestContext.HTTP.SourceIP)
			require.Equal(t, test.scheme, event.Headers["x-forwarded-proto"])
			require.Equal(t, test.port, event.Headers["x-forwarded-port"])
			require.Equal(t, test.addresses, event.Headers["x-forwarded-for"])
		})
	}
}

// A proxy's requests name its host.
func TestPublicHostIsServed(t *testing.T) {
	t.Parallel()
	served := gateway.RestrictHosts("127.0.0.1:8080", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }), "loadbay.example.org")
	for host, want := range map[string]int{
		"loadbay.example.org": http.StatusNoContent, "LOADBAY.example.org": http.StatusNoContent, "localhost": http.StatusNoContent,
		"loadbay.example.org:8443": http.StatusMisdirectedRequest, "example.org": http.StatusMisdirectedRequest, "": http.StatusMisdirectedRequest,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
		r.Host = host
		w := httptest.NewRecorder()
		served.ServeHTTP(w, r)
		require.Equal(t, want, w.Code, host)
	}
}
