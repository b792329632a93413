package webhook

import (
	"errors"
	"net/netip"
	"net/url"

	"github.com/loadbay/loadbay/shared/notify/outbound"
)

// Settings say which addresses webhooks may have.
type Settings struct {
	// Local also permits servers of this machine, without TLS and on any port: for
	// tests and for trying webhooks out.
	Local    bool   `env:"WEBHOOKS_LOCAL"`
	Endpoint string `env:"AWS_ENDPOINT_URL"`
}

// Validate permits this machine's servers only together with an AWS
// endpoint that is on this machine itself: on AWS there is none.
func (s *Settings) Validate() error {
	if !s.Local {
		return nil
	}
	u, err := url.Parse(s.Endpoint)
	if err == nil {
		var host netip.Addr
		if host, err = netip.ParseAddr(u.Hostname()); err == nil && host.IsLoopback() {
			return nil
		}
	}
	return errors.New("WEBHOOKS_LOCAL is only for the local stack: AWS_ENDPOINT_URL is no address of this machine")
}

// Config is what the settings permit.
func (s *Settings) Config() Config {
	c := DefaultConfig()
	if s.Local {
		c.Allows = func(a netip.Addr) bool { return a.Unmap().IsLoopback() || outbound.Public(a) }
		c.Schemes, c.AnyPort = append(c.Schemes, "http"), true
	}
	return c
}
