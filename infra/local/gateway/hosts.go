package gateway

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// RestrictHosts only passes on requests with a Host header that names this machine. Any web page
// can make its host name resolve to 127.0.0.1 (DNS rebinding); its visitor's browser then
// treats the stack, which requires no token from local callers, as part of that page. Allowed
// names are those of the loopback network and the host of listen, the listening address; if
// that is every address of the machine, all IP addresses are allowed too, because a host name
// cannot imitate them. public are hosts that a proxy serves, with their ports if they have one.
func RestrictHosts(listen string, next http.Handler, public ...string) http.Handler {
	listening, _, err := net.SplitHostPort(listen)
	if err != nil {
		listening = listen
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if (r.Host == "" || !slices.Contains(public, strings.ToLower(r.Host))) && !isOwnHost(hostname(r.Host), strings.ToLower(listening)) {
			WriteError(w, http.StatusMisdirectedRequest, "Use localhost or 127.0.0.1 as the host name")
			return
		}
		next.ServeHTTP(w, r)
	})
}

func isOwnHost(host, listening string) bool {
	a, err := netip.ParseAddr(host)
	switch named := err != nil; {
	case named:
		return host == "localhost" || strings.HasSuffix(host, ".localhost") || host != "" && host == listening
	case a.Unmap().IsLoopback(), host == listening:
		return true
	}
	everywhere, err := netip.ParseAddr(listening)
	return listening == "" || err == nil && everywhere.IsUnspecified()
}

// hostname returns the host of a Host header, without the port.
func hostname(header string) string {
	host, _, err := net.SplitHostPort(header)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(header, "["), "]")
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
