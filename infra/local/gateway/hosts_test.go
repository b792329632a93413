package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/gateway"
)

func TestForeignHostsAreRefused(t *testing.T) {
	t.Parallel()
	loopback := map[string]bool{
		"localhost": true, "localhost:8080": true, "LOCALHOST.:8080": true, "loadbay-files.localhost:4566": true,
		"127.0.0.1:8080": true, "127.0.0.9": true, "[::1]:8080": true, "[::1]": true, "[::ffff:127.0.0.1]:8080": true,
		"": false, "evil.example": false, "evil.example:8080": false, "localhost.evil.example": false, "127.0.0.1.evil.example": false,
		"evillocalhost": false, "127.0.0.1@evil.example": false, "0.0.0.0:8080": false, "[::]:8080": false, "10.0.0.5:8080": false, "loadbay.lan:8080": false,
		"2130706433": false, "127.1": false,
	}
	for listen, hosts := range map[string]map[string]bool{
		"127.0.0.1:8080":   loopback,
		"localhost:8080":   loopback,
		"loadbay.lan:8080": {"loadbay.lan:8080": true, "Loadbay.LAN": true, "localhost:8080": true, "evil.example": false, "10.0.0.5:8080": false},
		"10.0.0.5:8080":    {"10.0.0.5:8080": true, "127.0.0.1": true, "10.0.0.6:8080": false, "evil.example": false},
		"0.0.0.0:8080":     {"10.0.0.5:8080": true, "localhost": true, "[fd00::1]:8080": true, "0.0.0.0:8080": true, "evil.example": false},
		":8080":            {"10.0.0.5:8080": true, "evil.example": false},
		"[::]:8080":        {"10.0.0.5:8080": true, "evil.example": false},
	} {
		served := gateway.RestrictHosts(listen, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
		for host, want := range hosts {
			r := httptest.NewRequest(http.MethodGet, "/local/token", http.NoBody)
			r.Host = host
			w := httptest.NewRecorder()
			served.ServeHTTP(w, r)
			status := http.StatusMisdirectedRequest
			if want {
				status = http.StatusNoContent
			}
			require.Equal(t, status, w.Code, "Host %q on %s", host, listen)
		}
	}
}
