// Package outbound connects to addresses given by callers, but not to those that only this
// machine can reach: its own network, the cloud's metadata service, itself.
package outbound

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"code.dny.dev/ssrf"

	"github.com/loadbay/loadbay/shared/problem"
)

// specialPurposeRanges lists the addresses that are not public, from IANA's special-purpose
// registries; for IPv6 it lists those that are public.
var specialPurposeRanges = ssrf.New()

// AllowFunc reports whether a connection to an address is allowed: Public, except in tests
// with local servers.
type AllowFunc func(netip.Addr) bool

// Policy defines the allowed addresses.
type Policy struct {
	Allows  AllowFunc
	Schemes []string
	// AnyPort also allows ports other than those of the web: for test servers.
	AnyPort bool
}

// Public reports whether an address is publicly reachable. A NAT64 address, by which an
// IPv6-only network reaches IPv4, is checked by the IPv4 address in it.
func Public(a netip.Addr) bool {
	a = a.Unmap()
	if ssrf.IPv6NAT64Prefix.Contains(a) {
		b := a.As16()
		a = netip.AddrFrom4([4]byte(b[12:]))
	}
	return a.IsValid() && specialPurposeRanges.SafeAddr(a) == nil
}

// webPorts are the allowed ports: services on other ports are seldom public. "" is the
// default port of the scheme.
var webPorts = []string{"", "80", "443"}

// maxURL is the maximum length of an address in bytes.
const maxURL = 8192

// Parse parses an address and checks it against the policy, as far as possible without
// resolving its host, which happens when the connection is opened.
func (p Policy) Parse(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || len(address) > maxURL {
		return nil, reject(problem.URLForbidden, "This is not a valid URL.")
	}
	return u, p.Check(u)
}

// Check is Parse for a parsed address.
func (p Policy) Check(u *url.URL) error {
	switch {
	case !slices.Contains(p.Schemes, u.Scheme):
		return reject(problem.URLScheme, "The URL must start with "+joinSchemes(p.Schemes)+".")
	case u.Hostname() == "", u.User != nil:
		return reject(problem.URLForbidden, "The URL must contain a host and no user name.")
	case !p.AnyPort && !slices.Contains(webPorts, u.Port()):
		return reject(problem.URLForbidden, "The port of the URL must be 80, 443 or omitted.")
	}
	switch a, err := netip.ParseAddr(u.Hostname()); {
	case err == nil && !p.Allows(a):
		return rejectHost()
	case err != nil && isNumericHost(u.Hostname()):
		return reject(problem.URLForbidden, "The host is not a valid name or IP address.")
	}
	return nil
}

// isNumericHost reports whether some resolvers interpret a host, which is no address in the
// usual form, as an IPv4 address: 2130706433, 0x7f000001, 0177.0.0.1 and 127.1 are all
// 127.0.0.1 to them. No name ends in a number.
//
// https://url.spec.whatwg.org/#ends-in-a-number-checker
func isNumericHost(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := strings.ToLower(host[strings.LastIndexByte(host, '.')+1:])
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// joinSchemes lists schemes for a person.
func joinSchemes(schemes []string) string {
	text := ""
	for i, s := range schemes {
		if i > 0 {
			text += " or "
		}
		text += s + "://"
	}
	return text
}

// rejectHost returns the same error for an unknown host and for one in a private network, so
// that callers cannot find out which names exist in the private network.
func rejectHost() error {
	return reject(problem.URLForbidden, "The host of the URL is unknown or not in a public network.")
}

func reject(code problem.Code, message string) error {
	return problem.New(code, "%s", message).With("url", code, message)
}
