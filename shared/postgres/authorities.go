package postgres

import (
	"crypto/x509"

	"github.com/jackc/pgx/v5/pgconn"
)

// TrustAuthorities makes a TLS connection accept certificates of these authorities only. It
// changes nothing if the address requests no TLS; sslmode=verify-full also checks the host's
// name in the certificate.
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
