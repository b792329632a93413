package outbound

import (
	"net"
	"net/http"
	"time"
)

// maxHeaders is the maximum size of a response's headers in bytes.
const maxHeaders = 64 << 10

// NewTransport returns a transport that connects only to allowed addresses. It checks the
// actual address of each connection, regardless of the name, spelling or redirect that led
// there. It uses no proxy, and no connection serves a second request. stall limits each step
// up to the headers of the response.
func NewTransport(permits AllowFunc, stall time.Duration) *http.Transport {
	d := dialer{allows: permits, connectTimeout: stall, resolver: net.DefaultResolver, refusalDelay: refusalDelay}
	return &http.Transport{
		DialContext: d.dial, DisableKeepAlives: true, DisableCompression: true,
		TLSHandshakeTimeout: stall, ResponseHeaderTimeout: stall, MaxResponseHeaderBytes: maxHeaders,
	}
}
