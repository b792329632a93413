package gateway

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// RestrictHosts passes on requests to this machine under a name of its own. Any page of the web
// can have its name lead to 127.0.0.1 (DNS rebinding); its visitor's browser then takes
// the stack, which asks no local caller for a token, for a part of that page. Own names
// are those of the loopback network and the host of listen, the address that is listened
// on; where that is every address of the machine, all addresses too, which no name leads
// to.
func RestrictHosts(listen string, next http.Handler) http.Handler {
	listening, _, err := net.SplitHostPort(listen)
	if err != nil {
		listening = listen
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isOwnHost(hostname(r.Host), strings.ToLower(listening)) {
			writeError(w, http.StatusMisdirectedRequest, "This machine is called localhost or 127.0.0.1 here")
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

// hostname is the host of a header Host, without its port.
func hostname(header string) string {
	host, _, err := net.SplitHostPort(header)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(header, "["), "]")
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
