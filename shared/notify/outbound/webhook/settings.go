package webhook

import (
	"errors"
	"net/netip"
	"net/url"

	"github.com/loadbay/loadbay/shared/notify/outbound"
)

// Settings define the allowed addresses of webhooks.
type Settings struct {
	// Local also allows servers on this machine, without TLS and on any port: for tests and for
	// trying webhooks out.
	Local    bool   `env:"WEBHOOKS_LOCAL"`
	Endpoint string `env:"AWS_ENDPOINT_URL"`
}

// Validate allows local servers only if the AWS endpoint is also on this machine, which is
// never the case on AWS.
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
	return errors.New("WEBHOOKS_LOCAL is only for the local stack: AWS_ENDPOINT_URL is not an address of this machine")
}

// Config returns the configuration for the settings.
func (s *Settings) Config() Config {
	c := DefaultConfig()
	if s.Local {
		c.Allows = func(a netip.Addr) bool { return a.Unmap().IsLoopback() || outbound.Public(a) }
		c.Schemes, c.AnyPort = append(c.Schemes, "http"), true
	}
	return c
}
