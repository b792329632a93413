package gateway

import (
	"net"
	"net/http"
	"strings"
)

// client is the origin of a request, as its function sees it.
type client struct {
	ip        string
	scheme    string
	port      string // "" if the address has none
	forwarded string // X-Forwarded-For
}

// origin returns the origin of a request. A request to publicHost has come through the TLS proxy of
// this machine, which has appended the caller's address to X-Forwarded-For. The earlier addresses
// are the caller's claim. All other requests come from their peer, over HTTP.
func origin(r *http.Request, publicHost string) client {
	peer, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		peer = r.RemoteAddr
	}
	c := client{ip: peer, scheme: "http", forwarded: peer}
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		c.port = port
	}
	before := strings.Join(r.Header.Values("X-Forwarded-For"), ", ")
	if !IsPublic(r, publicHost) {
		if before != "" {
			c.forwarded = before + ", " + peer
		}
		return c
	}
	c.scheme = "https"
	if c.port == "" {
		c.port = "443"
	}
	if before != "" {
		c.forwarded = before
		last := before[strings.LastIndexByte(before, ',')+1:]
		if ip := net.ParseIP(strings.TrimSpace(last)); ip != nil {
			c.ip = ip.String()
		}
	}
	return c
}

// IsPublic reports whether a request names the public host, of which "" is none.
func IsPublic(r *http.Request, publicHost string) bool {
	return publicHost != "" && strings.EqualFold(r.Host, publicHost)
}
