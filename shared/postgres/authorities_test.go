package postgres_test

import (
	"crypto/x509"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// A client that rejects the server's certificate never receives the server's own refusal.
func TestUntrustedServerIsRefused(t *testing.T) {
	t.Parallel()
	server := postgrestest.StartTLSServer(t)
	_, port, err := net.SplitHostPort(server.Address)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		host        string
		authorities *x509.CertPool
		want        string
	}{
		"trusted authority":           {"127.0.0.1", server.Authority, postgrestest.RefusalMessage},
		"unknown authority":           {"127.0.0.1", x509.NewCertPool(), "certificate signed by unknown authority"},
		"system authorities":          {"127.0.0.1", nil, "certificate signed by unknown authority"},
		"certificate of another host": {"localhost", server.Authority, "certificate is not valid for any names, but wanted to match localhost"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, err := postgres.Open(t.Context(), postgres.Config{
				URL: "postgres://loadbay_app:p@" + net.JoinHostPort(c.host, port) + "/loadbay?sslmode=verify-full", Authorities: c.authorities,
			})
			require.NoError(t, err)
			t.Cleanup(db.Close)
			require.ErrorContains(t, db.Ping(t.Context()), c.want)
		})
	}
}

// A database on this machine has no certificate.
func TestAuthoritiesAreIgnoredWithoutTLS(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	db, err := postgres.Open(t.Context(), postgres.Config{URL: d.AppURL, Authorities: x509.NewCertPool()})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	require.NoError(t, db.Ping(t.Context()))
}
