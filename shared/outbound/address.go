// Package outbound connects to addresses that callers name, without letting them
// reach what only this machine can: its own network, the cloud's metadata,
// itself.
package outbound

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/problem"
)

// forbidden are the ranges that no public server has.
//
// https://www.iana.org/assignments/iana-ipv4-special-registry
// https://www.iana.org/assignments/iana-ipv6-special-registry
var forbidden = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("10.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("127.0.0.0/8"),
	netip.MustParsePrefix("169.254.0.0/16"), // with the cloud's metadata
	netip.MustParsePrefix("172.16.0.0/12"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.168.0.0/16"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("224.0.0.0/3"), // multicast, reserved, broadcast
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("2001::/23"), // Teredo and other protocols
	netip.MustParsePrefix("2001:db8::/32"),
}

// public is all of IPv6 that is assigned to be reached from everywhere.
var public = netip.MustParsePrefix("2000::/3")

// embedding are the ranges of IPv6 that carry an IPv4 address, and where it begins.
var embedding = []struct {
	prefix netip.Prefix
	at     int
}{
	{netip.MustParsePrefix("64:ff9b::/96"), 12}, // NAT64
	{netip.MustParsePrefix("2002::/16"), 2},     // 6to4
}

// Permits tells whether a connection to an address may be made: Public, except
// where a test has a server of its own.
type Permits func(netip.Addr) bool

// Public tells whether an address is one that anybody could reach.
func Public(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	for _, p := range forbidden {
		if p.Contains(a) {
			return false
		}
	}
	for _, e := range embedding {
		if e.prefix.Contains(a) {
			b := a.As16()
			return Public(netip.AddrFrom4([4]byte(b[e.at : e.at+4])))
		}
	}
	return a.Is4() || public.Contains(a)
}

// maxURL is the most bytes of an address.
const maxURL = 8192

// Parse returns an address of one of the schemes, or the fault that it has, as
// far as that can be told without looking its host up: that happens when it is
// connected to.
func Parse(address string, permits Permits, schemes ...string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || len(address) > maxURL {
		return nil, refuse(problem.URLForbidden, "The address is not one of the web.")
	}
	return u, Check(u, permits, schemes...)
}

// Check is Parse for an address at hand.
func Check(u *url.URL, permits Permits, schemes ...string) error {
	switch {
	case !slices.Contains(schemes, u.Scheme):
		return refuse(problem.URLScheme, "The address must begin with "+either(schemes)+".")
	case u.Hostname() == "", u.User != nil:
		return refuse(problem.URLForbidden, "The address must name a host, and no user.")
	}
	switch a, err := netip.ParseAddr(u.Hostname()); {
	case err == nil && !permits(a):
		return refuseHost()
	case err != nil && numeric(u.Hostname()):
		return refuse(problem.URLForbidden, "The host is neither a name nor an address as it is usually written.")
	}
	return nil
}

// numeric tells whether some resolvers take a host, which is no address in the
// usual form, for one of IPv4: 2130706433, 0x7f000001, 0177.0.0.1 and 127.1 all
// are 127.0.0.1 to them. No name ends in a number.
//
// https://url.spec.whatwg.org/#ends-in-a-number-checker
func numeric(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := strings.ToLower(host[strings.LastIndexByte(host, '.')+1:])
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// either lists schemes for a person.
func either(schemes []string) string {
	text := ""
	for i, s := range schemes {
		if i > 0 {
			text += " or "
		}
		text += s + "://"
	}
	return text
}

func refuseHost() error {
	return refuse(problem.URLForbidden, "The address leads to a network that is not public.")
}

func refuse(code problem.Code, message string) error {
	return problem.New(code, "%s", message).With("url", code, message)
}
