// Package outbound connects to addresses that callers name, without letting them
// reach what only this machine can: its own network, the cloud's metadata,
// itself.
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

// AllowFunc reports whether a connection to an address may be made: Public, except
// where a test has a server of its own.
type AllowFunc func(netip.Addr) bool

// Policy is what addresses may be called.
type Policy struct {
	Allows  AllowFunc
	Schemes []string
	// AnyPort also permits other ports than those of the web: for servers of tests.
	AnyPort bool
}

// Public reports whether anybody could reach an address. A NAT64 address, by which an
// IPv6-only network reaches IPv4, is judged by the IPv4 address in it.
func Public(a netip.Addr) bool {
	a = a.Unmap()
	if ssrf.IPv6NAT64Prefix.Contains(a) {
		b := a.As16()
		a = netip.AddrFrom4([4]byte(b[12:]))
	}
	return a.IsValid() && specialPurposeRanges.SafeAddr(a) == nil
}

// webPorts are those that an address may name: what listens elsewhere is seldom meant
// for everybody. "" is that of the scheme.
var webPorts = []string{"", "80", "443"}

// maxURL is the most bytes of an address.
const maxURL = 8192

// Parse returns an address that the policy permits, or what is wrong with it, as far as
// that can be known without looking its host up, which happens when the connection is
// made.
func (p Policy) Parse(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || len(address) > maxURL {
		return nil, reject(problem.URLForbidden, "The address is not one of the web.")
	}
	return u, p.Check(u)
}

// Check is Parse for an address at hand.
func (p Policy) Check(u *url.URL) error {
	switch {
	case !slices.Contains(p.Schemes, u.Scheme):
		return reject(problem.URLScheme, "The address must begin with "+joinSchemes(p.Schemes)+".")
	case u.Hostname() == "", u.User != nil:
		return reject(problem.URLForbidden, "The address must name a host, and no user.")
	case !p.AnyPort && !slices.Contains(webPorts, u.Port()):
		return reject(problem.URLForbidden, "The address must have the port 80 or 443, or none.")
	}
	switch a, err := netip.ParseAddr(u.Hostname()); {
	case err == nil && !p.Allows(a):
		return rejectHost()
	case err != nil && isNumericHost(u.Hostname()):
		return reject(problem.URLForbidden, "The host is neither a name nor an address as it is usually written.")
	}
	return nil
}

// isNumericHost reports whether some resolvers take a host, which is no address in the
// usual form, for one of IPv4: 2130706433, 0x7f000001, 0177.0.0.1 and 127.1 all
// are 127.0.0.1 to them. No name ends in a number.
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

// rejectHost says the same of a host that nobody knows and of one in a private network,
// so that no caller learns which names the private network knows.
func rejectHost() error {
	return reject(problem.URLForbidden, "The host of the address is unknown, or in a network that is not public.")
}

func reject(code problem.Code, message string) error {
	return problem.New(code, "%s", message).With("url", code, message)
}
