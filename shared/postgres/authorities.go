package postgres

import (
	"crypto/x509"

	"github.com/jackc/pgx/v5/pgconn"
)

// TrustAuthorities has a connection that asks for TLS accept certificates of these
// authorities and of no others. It changes nothing where the address asks for
// none; sslmode=verify-full also holds the certificate against the host's name.
func TrustAuthorities(c *pgconn.Config, authorities *x509.CertPool) {
	if c.TLSConfig != nil {
		c.TLSConfig.RootCAs = authorities
	}
	for _, other := range c.Fallbacks {
		if other.TLSConfig != nil {
			other.TLSConfig.RootCAs = authorities
		}
	}
}
