package outbound

import (
	"net"
	"net/http"
	"time"
)

// maxHeaders is the most bytes that the headers of a response may have.
const maxHeaders = 64 << 10

// NewTransport returns a transport that connects to permitted addresses only. It
// checks the very address that is about to be connected to, whatever name, spelling or
// redirect led there. It uses no proxy, and no connection serves a second request. stall
// bounds each step up to the headers of the response.
func NewTransport(permits AllowFunc, stall time.Duration) *http.Transport {
	d := dialer{allows: permits, connectTimeout: stall, resolver: net.DefaultResolver, refusalDelay: refusalDelay}
	return &http.Transport{
		DialContext: d.dial, DisableKeepAlives: true, DisableCompression: true,
		TLSHandshakeTimeout: stall, ResponseHeaderTimeout: stall, MaxResponseHeaderBytes: maxHeaders,
	}
}
